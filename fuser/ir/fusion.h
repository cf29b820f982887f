#pragma once
// Fusion: a graph of tensor and scalar ops that owns its values, axes and expressions. Nodes have dense ids; every list
// is in id or topological order, so that no result depends on an address. All stages share this one representation: the
// parser builds it, passes rewrite clones of it, and segments are parts of it.
//
// Pointers to values, axes and expressions stay valid while the Fusion lives, even after removal. It does not move.
// Edits check local conditions (CheckError); verify() in fuser/ir/verify.h checks the rest. Not thread-safe: exprs()
// caches its order, so concurrent readers need a lock unless it was called before.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fuser/ir/expr.h"
#include "fuser/ir/tensor_view.h"
#include "fuser/ir/val.h"
#include "fuser/types/int_expr.h"

namespace fuser {

struct RenamedExtents {
  bool changed = false;
  // The first tensor whose axes would change their kind (a size that becomes the constant 1 makes a broadcast axis) or
  // whose sizes contradict each other. The fusion is then renamed up to this tensor and malformed. Null: success.
  const Val* misfit = nullptr;
};

class Fusion {
 public:
  Fusion() = default;
  explicit Fusion(std::string name) : name_(std::move(name)) {}
  Fusion(const Fusion&) = delete;
  Fusion& operator=(const Fusion&) = delete;

  const std::string& name() const { return name_; }
  void setName(std::string name) { name_ = std::move(name); }

  // --- values ---
  Scalar* newScalar(DataType dtype, std::string name = "");
  Scalar* newConstant(ScalarValue value);
  // Fills empty fields of the domain: loopRoot and loop become the logical axes, allocationOrder row-major, contiguity
  // contiguous.
  TensorView* newTensor(DataType dtype, TensorDomain domain, std::string name = "");
  // An expanded extent that is the constant 1 is dropped: one stored element is the whole axis.
  IterDomain* newIterDomain(IterType type, IntExpr extent, IntExpr expandedExtent = nullptr);
  IterDomain* cloneIterDomain(const IterDomain* domain) { return cloneAs(domain, domain->type()); }
  IterDomain* cloneAs(const IterDomain* domain, IterType type);  // with ParallelType::Serial

  // --- extents ---
  IntExprArena& ints() { return *ints_; }
  const IntExprArena& ints() const { return *ints_; }
  // Returns the extent symbol of that name ("i0"); creates it on first use.
  IntExpr extentSymbol(const std::string& name);
  // Returns the symbol for an i64 scalar of this fusion, the same on every call. A CheckError for any other dtype.
  IntExpr scalarSymbol(Val* scalar);
  // The scalar that a symbol stands for; null for an extent symbol.
  Val* scalarOf(IntExpr symbol) const;
  // The scalars that an extent names, in the order of their names: that of its terms depends on what was built first.
  std::vector<Val*> scalarsOf(IntExpr extent) const;

  // --- the graph ---
  // Both put a tensor in global memory. A CheckError for an input that has a definition or is an input already.
  void addInput(Val* val);
  void addOutput(Val* val);  // a value may be an output several times, and an input may be an output
  void setOutputs(std::vector<Val*> outputs);
  // outputs()[output] is written in place over an input's memory, after all reads of the input.
  void setAlias(size_t output, Val* input) { aliases_[output] = input; }
  const std::map<size_t, Val*>& aliases() const { return aliases_; }
  bool isOverwritten(const Val* input) const;
  const std::vector<Val*>& inputs() const { return inputs_; }
  const std::vector<Val*>& outputs() const { return outputs_; }

  // Does no inference and no type checks: see fuser/ir/builder.h. A CheckError for an operand of another fusion, and
  // for a result that has a definition already or is an input.
  Expr* newExpr(OpKind op, std::vector<Val*> inputs, std::vector<Val*> outputs, Attributes attributes = {});
  void removeExpr(Expr* expr);  // its outputs remain, without a definition
  void replaceInput(Expr* expr, size_t index, Val* with);  // replaces inputs()[index] only
  // Replaces all uses as operand and as fusion output. Extents that name the scalar `from` are not rewritten.
  void replaceAllUses(Val* from, Val* with);

  // All live expressions in topological order, ties by id; dead code included. A scalar also precedes the expressions
  // whose extents name it. A CheckError when there is a cycle.
  const std::vector<Expr*>& exprs() const;
  // Whether any computed tensor has a stream axis (ParallelType::Stream).
  bool hasStreams() const;
  // The devices that hold every tensor without its own mesh; empty for a fusion on a single device.
  const DeviceMesh& mesh() const { return mesh_; }
  void setMesh(DeviceMesh mesh) { mesh_ = std::move(mesh); }
  bool hasDevices() const { return !mesh_.empty(); }
  // Of a fusion that is compiled: sizes that meet in an op are equal, whatever their names. Else the size of an op's
  // result is their meet (IntOp::Meet), since one of them may be 1 in a run (fuser/evaluate/concretize.h).
  bool isConcrete() const { return concrete_; }
  void setConcrete(bool concrete) { concrete_ = concrete; }
  // Int32 or Int64: what a schedule says of the indices of the kernel that a scheduled part becomes (indexType); none:
  // a launch has 32 bits where they fit.
  std::optional<DataType> indexType() const { return indexType_; }
  void setIndexType(DataType type) { indexType_ = type; }
  // All inputs, outputs, operands, results and scalars in extents of attributes, in id order.
  std::vector<Val*> usedVals() const;
  const std::vector<std::unique_ptr<Val>>& allVals() const { return vals_; }  // by id, including unused ones
  const std::vector<Expr*>& liveExprs() const { return live_; }               // by id
  size_t valCount() const { return vals_.size(); }  // ids are below this
  size_t exprIdCount() const { return exprStorage_.size(); }

  // Replaces each size of an input or attribute by map(size), which must be equal in every run, and infers the sizes of
  // the results again. The fusion must not be scheduled.
  RenamedExtents renameExtents(const std::function<IntExpr(IntExpr)>& map);

  // Makes each value its own origin; called once, on the original fusion.
  void markOrigins();

  // The scalars that an expression reads through sizes, counts and bounds among its attributes.
  static std::vector<Val*> extentScalars(const Expr* expr);

 private:
  void invalidate() { order_.clear(); orderValid_ = false; }

  std::string name_;
  std::unique_ptr<IntExprArena> ints_ = std::make_unique<IntExprArena>();
  std::unordered_map<std::string, IntExpr> extentSymbols_;
  std::unordered_map<int64_t, Val*> scalarOfSymbol_;
  std::unordered_map<const Val*, IntExpr> symbolOfScalar_;
  std::vector<std::unique_ptr<Val>> vals_;
  std::vector<std::unique_ptr<IterDomain>> iterDomains_;
  std::vector<std::unique_ptr<Expr>> exprStorage_;  // by id; keeps removed ones, so that pointers stay valid
  std::vector<Expr*> live_;                         // by id
  std::vector<Val*> inputs_;
  std::vector<Val*> outputs_;
  std::map<size_t, Val*> aliases_;  // index in outputs_ -> input
  DeviceMesh mesh_;
  std::optional<DataType> indexType_;
  bool concrete_ = false;
  mutable std::vector<Expr*> order_;
  mutable bool orderValid_ = false;
};

}  // namespace fuser
