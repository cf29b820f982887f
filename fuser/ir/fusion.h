#pragma once
// Fusion: a graph of tensor and scalar ops, owned here with all its values. Nodes have dense ids; every list is in id
// or topological order, so that no result depends on an address. Every stage edits clones of one kind of graph: what
// stands in the text of a .fusion file is what passes rewrite and what segments are cut from.
//
// Pointers to values, axes and expressions stay valid as long as the Fusion lives, removed ones too. It does not move.
// Edits check what they can see at once (CheckError); verify() of fuser/ir/verify.h holds the rest. One thread at a
// time: exprs() keeps its order, so even two readers need a lock unless it was asked before.

#include <functional>
#include <map>
#include <memory>
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
  // The first tensor whose axes would be of other kinds (a size that becomes the number 1 makes a broadcast axis), or
  // whose sizes contradict each other: the fusion is renamed up to there, and not well formed. Null: all is well.
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
  // The domain's loopRoot and loop are set to its logical axes when empty; allocationOrder and contiguity to row-major,
  // contiguous when empty.
  TensorView* newTensor(DataType dtype, TensorDomain domain, std::string name = "");
  IterDomain* newIterDomain(IterType type, IntExpr extent, IntExpr expandedExtent = nullptr);
  IterDomain* cloneIterDomain(const IterDomain* domain) { return cloneAs(domain, domain->type()); }
  IterDomain* cloneAs(const IterDomain* domain, IterType type);

  // --- extents ---
  IntExprArena& ints() { return *ints_; }
  const IntExprArena& ints() const { return *ints_; }
  // The free symbol of that name ("i0"), made at first use.
  IntExpr extentSymbol(const std::string& name);
  // A symbol that stands for an i64 scalar of this fusion; the same one every time. A CheckError for another dtype.
  IntExpr scalarSymbol(Val* scalar);
  // The scalar behind a symbol, null for an extent symbol.
  Val* scalarOf(IntExpr symbol) const;

  // --- the graph ---
  // A CheckError for a value that is made, or is an input already.
  void addInput(Val* val);
  void addOutput(Val* val);  // a value may be an output several times, and an input may be an output
  void removeOutputs() { setOutputs({}); }
  void setOutputs(std::vector<Val*> outputs);
  // Output number `output` (in the order of outputs()) reuses the memory of an input, which is read before that.
  void setAlias(size_t output, Val* input) { aliases_[output] = input; }
  const std::map<size_t, Val*>& aliases() const { return aliases_; }
  bool isOverwritten(const Val* input) const;
  const std::vector<Val*>& inputs() const { return inputs_; }
  const std::vector<Val*>& outputs() const { return outputs_; }

  // Infers nothing and checks no types: fuser/ir/builder.h does. A CheckError for an operand of another fusion, and for
  // a result that is made already or is an input.
  Expr* newExpr(OpKind op, std::vector<Val*> inputs, std::vector<Val*> outputs, Attributes attributes = {});
  void removeExpr(Expr* expr);  // its outputs stay, without a definition
  void replaceInput(Expr* expr, size_t index, Val* with);  // operand number `index`, in this place alone
  // In all uses and among the outputs. (Extents that name a scalar are replaced by the caller, where there are any.)
  void replaceAllUses(Val* from, Val* with);

  // In topological order, ties by id; dead code included. Also orders a scalar before tensors whose extents name it.
  // A CheckError when there is a cycle.
  const std::vector<Expr*>& exprs() const;
  // Whether a tensor that is made has an axis whose places the host program runs on streams.
  bool hasStreams() const;
  // The devices that hold every tensor without a mesh of its own; empty: there is one device, and nobody asks which.
  const DeviceMesh& mesh() const { return mesh_; }
  void setMesh(DeviceMesh mesh) { mesh_ = std::move(mesh); }
  bool hasDevices() const { return !mesh_.empty(); }
  // Every value that an input, an output or an expression mentions, in id order.
  std::vector<Val*> usedVals() const;
  const std::vector<std::unique_ptr<Val>>& allVals() const { return vals_; }  // by id, unused ones too
  const std::vector<Expr*>& liveExprs() const { return live_; }               // by id
  size_t valCount() const { return vals_.size(); }  // ids are below this
  size_t iterDomainCount() const { return iterDomains_.size(); }
  size_t exprIdCount() const { return exprStorage_.size(); }

  // Every size of an input and among attributes becomes map(size), which is equal in every run; those of results are
  // inferred from these. Before any schedule.
  RenamedExtents renameExtents(const std::function<IntExpr(IntExpr)>& map);

  // Each value becomes its own origin: call once on the original.
  void markOrigins();

  // Scalars that an expression reads beside its operands: those in its shape attribute.
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
  std::vector<std::unique_ptr<Expr>> exprStorage_;  // by id; removed ones stay, so that pointers stay valid
  std::vector<Expr*> live_;                         // by id
  std::vector<Val*> inputs_;
  std::vector<Val*> outputs_;
  std::map<size_t, Val*> aliases_;  // output's number -> input
  DeviceMesh mesh_;
  mutable std::vector<Expr*> order_;
  mutable bool orderValid_ = false;
};

}  // namespace fuser
