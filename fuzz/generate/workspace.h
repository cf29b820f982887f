#pragma once
// Workspace: a case under construction: its fusion, and each value's sizes in every run and expected range. With these,
// each op is drawn so that it is valid in every run, and no case is discarded.
//
// It refers to choices, options and policy, which must outlive it. Sizes and budgets are in elements.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "fuzz/generate/estimate.h"
#include "fuzz/generate/policy.h"

namespace fuser::fuzz {

struct TensorValue {
  TensorView* tensor;
  Estimate estimate;
  std::array<Dims, kRuns> sizes;  // as PyTorch reports them, including expanded axes
};

struct ScalarEntry {
  Val* scalar;
  std::array<ScalarValue, kRuns> values;
};

// The recipe of an input; its seed is drawn when the runs are created.
struct InputPlan {
  Val* input;
  Recipe recipe;
  std::array<ScalarValue, kRuns> scalar{};  // the value of a scalar input, or the element of a host tensor
  bool isIndex = false;                     // its recipe is for the op that reads at it, and stays
  bool isOdd = false;                       // one of its elements is far from the others
};

// A requested axis: a broadcast axis, an expanded one, or an iteration axis with these sizes.
struct AxisPlan {
  IterType type = IterType::Iteration;
  bool expanded = false;
  Sizes sizes{1, 1};
};

class Workspace {
 public:
  Workspace(Choices& choices, const GeneratorOptions& options, const Policy& policy)
      : choices(choices), options(options), policy(policy), fusion(std::make_unique<Fusion>("generated")) {}

  Choices& choices;
  const GeneratorOptions& options;
  const Policy& policy;
  std::unique_ptr<Fusion> fusion;
  std::vector<TensorValue> tensors;        // in order of creation
  std::vector<ScalarEntry> scalars;        // without literals
  std::vector<InputPlan> inputs;           // in the fusion's order
  int64_t randomOps = 0;                   // so far
  std::vector<std::string> composed;       // names that were drawn and are made of other ops, in order
  // Set while an op of a dtype that is stored alone is drawn: tensors are of it, and of no such dtype otherwise.
  std::optional<DataType> storedOnly;
  std::vector<const TensorView*> badIndices;  // inputs with an index out of range: runs that read it are rejected

  // --- values ---
  std::string freshName() { return "t" + std::to_string(nextName_++); }
  // Adds a tensor; returns its index in `tensors`.
  size_t keep(Val* tensor, const Estimate& estimate);
  ScalarEntry keepScalar(Val* scalar, std::array<ScalarValue, kRuns> values);
  int64_t sizeOf(IntExpr size, size_t run) const;
  // The rest of the case's budget of elements, in the larger run.
  int64_t elementsLeft() const { return policy.caseElements - std::max(elements_[0], elements_[1]); }
  // Whether a tensor with these sizes is within the policy's cap and the case's budget in every run.
  bool affordable(const std::array<Dims, kRuns>& sizes) const;

  // --- extents ---
  // The extents, over symbols that inputs bind, with these sizes; also a constant if sizes are equal and it is allowed.
  std::vector<IntExpr> extentsOf(const Sizes& sizes, bool numbers) const;
  // The extent of a new input's axis: a symbol (usually an existing one) or a constant.
  IntExpr inputExtent(const Sizes& sizes);

  // --- draws ---
  // Whether an op may read the tensor now.
  bool isReadable(const TensorValue& value) const;
  DataType drawDtype();
  // Draws a dtype of a category that the op accepts.
  DataType drawDtypeFor(OpKind op);
  ScalarValue drawLiteral(DataType dtype);
  // The number, or with exact data a power of two near it.
  double literalNear(double number) const;

 private:
  struct KnownExtent {
    IntExpr expr;
    Sizes sizes;
  };
  std::vector<KnownExtent> extents_;
  std::array<int64_t, kRuns> elements_{};
  int nextName_ = 0;
  int nextSymbol_ = 0;
};

// --- inputs.cpp ---
std::array<Dims, kRuns> sizesOf(const std::vector<AxisPlan>& shape);
// Draws a shape from the main shape: a part of it, permuted, with broadcast axes, …
std::vector<AxisPlan> drawShape(Workspace& work);
// Draws a shape that fits `other` in a pointwise op: its axes or the last ones, some of them broadcast or expanded.
std::vector<AxisPlan> drawShapeLike(Workspace& work, const TensorValue& other);
// Adds an input, or a `full` if the policy has no inputs, with one element if the shape exceeds the budget. Returns the
// index in Workspace::tensors.
size_t newSource(Workspace& work, DataType dtype, std::vector<AxisPlan> shape);
// Adds an input of this shape, which is affordable, with this recipe. The policy must have inputs.
size_t newInput(Workspace& work, DataType dtype, const std::vector<AxisPlan>& shape, const Recipe& recipe,
                const Estimate& estimate);
ScalarEntry newScalarInput(Workspace& work, DataType dtype);
// Draws the elements of a float input that nothing reads yet from another range, which must fit. False: it is no such
// input, or no range fits.
bool redrawInput(Workspace& work, size_t index, const std::function<bool(const Estimate&)>& fits);
// The same with a drawn dtype and shape.
size_t drawSource(Workspace& work);
// Adds an `item` of a new host tensor input with this dtype.
ScalarEntry newHostElement(Workspace& work, DataType dtype);
// The same with these values in the runs, which the dtype must represent.
ScalarEntry newHostElement(Workspace& work, DataType dtype, const std::array<ScalarValue, kRuns>& values);
// Creates the runs, after all inputs exist.
std::vector<Run> makeRuns(Workspace& work);
// Puts an input into the memory of another one, which nothing writes to.
void shareMemory(Workspace& work, std::vector<Run>& runs);

// --- scalars.cpp ---
// A literal, an existing scalar, an input, a size, or a computed scalar; its value is known in every run.
ScalarEntry drawScalar(Workspace& work, DataType dtype);
// Adds an op on scalars.
void applyScalarOp(Workspace& work);
// An extent with these sizes that the program can name; null only if the sizes vary and nothing binds them.
IntExpr drawExtent(Workspace& work, const Sizes& sizes);

// --- apply.cpp ---
// Adds the op to the program with the operands that it needs. False if no operand fits (no value can be squeezed, …).
bool applyOp(Workspace& work, OpKind op);
size_t applyCast(Workspace& work, size_t operand, DataType dtype);
// A cast to a dtype that is stored alone, as programs quantise; nullopt where none holds the value, or none is drawn.
std::optional<size_t> applyStore(Workspace& work, size_t operand);
// Adds an op of a dtype that is stored alone, on tensors of that dtype.
void applyStoredOp(Workspace& work);
// Whether the dtype holds what the value is estimated to be: a float past an integer dtype has no defined conversion.
bool castIsDefined(const TensorValue& value, DataType to);

// --- pointwise.cpp ---
bool applyPointwise(Workspace& work, OpKind op);
// The op of two tensors whose axes meet, bounded to where it is defined.
bool applyBinary(Workspace& work, OpKind op, size_t a, size_t b);

// --- views.cpp ---
bool applySlice(Workspace& work);
bool applyPad(Workspace& work);
bool applyCat(Workspace& work);
bool applyReshape(Workspace& work);
bool applyRepeat(Workspace& work);
bool applySelect(Workspace& work);
bool applyUnfold(Workspace& work);
bool applySliceScatter(Workspace& work);

// --- indexing.cpp ---
bool applyGather(Workspace& work);
bool applyScatter(Workspace& work, OpKind op);

// --- updates.cpp ---
bool applyUpdate(Workspace& work);
// Whether an update may write to it now.
bool mayUpdate(const Workspace& work, const TensorView* target);
// The estimates of all tensors of this memory cover what was written.
void widenMemory(Workspace& work, const TensorView* target, const Estimate& written);

// --- branches.cpp ---
bool applyBranch(Workspace& work);

// --- random.cpp ---
// Adds random numbers. False where the ops that they are made of are not all allowed, or nothing fits.
bool drawRandom(Workspace& work);

// --- products.cpp ---
// Adds a product of matrices. False where the ops that it is made of are not all allowed, or nothing fits.
bool drawProduct(Workspace& work);

// --- composites.cpp ---
// Adds a name that is made of other ops, which are all allowed. False where it has others, or no tensor fits.
bool drawComposite(Workspace& work);

// --- operands ---
// Draws a tensor that is readable and that `suits` accepts, usually one without uses; -1 if there is none.
template <class Suits>
int64_t drawTensor(Workspace& work, Suits suits) {
  std::vector<size_t> fresh, all;
  for (size_t i = 0; i < work.tensors.size(); ++i) {
    if (!work.isReadable(work.tensors[i]) || !suits(work.tensors[i])) continue;
    all.push_back(i);
    if (work.tensors[i].tensor->uses().empty()) fresh.push_back(i);
  }
  if (all.empty()) return -1;
  if (!fresh.empty() && !work.choices.chance(work.policy.reuse)) return static_cast<int64_t>(work.choices.pick(fresh));
  return static_cast<int64_t>(work.choices.pick(all));
}

// An i64 scalar's symbol whose values lie in [low, high] in every run; null where there is none.
IntExpr scalarBetween(Workspace& work, int64_t low, int64_t high);

}  // namespace fuser::fuzz
