#pragma once
// Workspace: a case under construction: its fusion, and what is known of each value: sizes in every run, expected
// range. Known while it grows, so that each op is drawn to be valid in every run, and no case is thrown away.
//
// It refers to choices, options and policy, which outlive it. Sizes and budgets are in elements.

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
  std::array<Dims, kRuns> sizes;  // as PyTorch sees them: expanded
};

struct ScalarEntry {
  Val* scalar;
  std::array<ScalarValue, kRuns> values;
};

// Data of an input tensor in every run; seeds are drawn when the runs are made.
struct InputPlan {
  Val* input;
  Recipe recipe;
  std::array<ScalarValue, kRuns> scalar;  // of a scalar input; the element of one on the host
};

// An axis asked for: a broadcast axis, an expanded one, or an iteration axis of these sizes.
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
  std::vector<TensorValue> tensors;  // in order of making
  std::vector<ScalarEntry> scalars;  // no literals
  std::vector<InputPlan> inputs;     // in the fusion's order

  // --- values ---
  std::string freshName() { return "t" + std::to_string(nextName_++); }
  // Index in tensors.
  size_t keep(Val* tensor, const Estimate& estimate);
  ScalarEntry keepScalar(Val* scalar, std::array<ScalarValue, kRuns> values);
  int64_t sizeOf(IntExpr size, size_t run) const;
  // Elements left of the case's budget, in the fuller run.
  int64_t elementsLeft() const { return options.maxCaseElements - std::max(elements_[0], elements_[1]); }
  // Whether a tensor of these sizes keeps to the policy's cap and the case's budget, in every run.
  bool affordable(const std::array<Dims, kRuns>& sizes) const;

  // --- extents ---
  // Expressions over what inputs bind already, with these sizes; a number where sizes agree and it is allowed.
  std::vector<IntExpr> extentsOf(const Sizes& sizes, bool numbers) const;
  // For an axis of a new input: a symbol (mostly one that exists) or a number.
  IntExpr inputExtent(const Sizes& sizes);

  // --- draws ---
  DataType drawDtype();
  // Of a category that the op takes.
  DataType drawDtypeFor(OpKind op);
  ScalarValue drawLiteral(DataType dtype);

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
// The main shape or a part of it, permuted, with broadcast axes, …
std::vector<AxisPlan> drawShape(Workspace& work);
// Meets `other` in a pointwise op: its axes or the last of them, some of them broadcast or expanded.
std::vector<AxisPlan> drawShapeLike(Workspace& work, const TensorValue& other);
// A new input, or, where the case has none, a `full`; of one element where the shape is too dear. Index in
// Workspace::tensors.
size_t newSource(Workspace& work, DataType dtype, std::vector<AxisPlan> shape);
ScalarEntry newScalarInput(Workspace& work, DataType dtype);
// `item` of a new input on the host, of this dtype.
ScalarEntry newHostElement(Workspace& work, DataType dtype);
// The same with these values in the runs, which the dtype holds.
ScalarEntry newHostElement(Workspace& work, DataType dtype, const std::array<ScalarValue, kRuns>& values);
// The runs, when all inputs exist.
std::vector<Run> makeRuns(Workspace& work);

// --- scalars.cpp ---
// A literal, a scalar that exists, an input, a size, or a computed one; its value is known in every run.
ScalarEntry drawScalar(Workspace& work, DataType dtype);
// A chain of one op on scalars.
void applyScalarOp(Workspace& work);
// An extent that the program may name: of these sizes (always possible: null only if nothing binds it and it varies).
IntExpr drawExtent(Workspace& work, const Sizes& sizes);

// --- apply.cpp ---
// Adds the op to the program, with whatever operands it needs. False when nothing suits (no value can be squeezed, …).
bool applyOp(Workspace& work, OpKind op);
size_t applyCast(Workspace& work, size_t operand, DataType dtype);

// --- pointwise.cpp ---
bool applyPointwise(Workspace& work, OpKind op);

// --- views.cpp ---
bool applySlice(Workspace& work);
bool applyPad(Workspace& work);
bool applyCat(Workspace& work);
bool applyReshape(Workspace& work);
bool applyRepeat(Workspace& work);

// --- operands ---
// A value that suits, mostly one without a use; -1 when there is none.
template <class Suits>
int64_t drawTensor(Workspace& work, Suits suits) {
  std::vector<size_t> fresh, all;
  for (size_t i = 0; i < work.tensors.size(); ++i) {
    if (!suits(work.tensors[i])) continue;
    all.push_back(i);
    if (work.tensors[i].tensor->uses().empty()) fresh.push_back(i);
  }
  if (all.empty()) return -1;
  if (!fresh.empty() && !work.choices.chance(work.policy.reuse)) return static_cast<int64_t>(work.choices.pick(fresh));
  return static_cast<int64_t>(work.choices.pick(all));
}

}  // namespace fuser::fuzz
