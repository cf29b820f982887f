#pragma once
// Slice: computes the accepted sets of values of the original fusion on demand, backward from a value to the anchors,
// whose numbers are known: the fusion's inputs, or the values that a segment loaded. It uses the original fusion, so
// that no pass can excuse a result.

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/record/run_record.h"
#include "oracle/interval.h"

namespace oracle {

// Thrown if the model does not cover a case, which is then not judged.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The facts about a run that all its slices share.
struct RunFacts {
  const fuser::Fusion* fusion;
  std::vector<std::optional<Value>> inputs;     // by value id: the fusion's inputs, exact
  std::vector<std::optional<int64_t>> extents;  // by symbol
  std::vector<std::optional<fuser::ReductionDepth>> depths;  // by value id, of reductions, as recorded
  std::vector<std::optional<fuser::SumForms>> sums;          // by value id, of sums and differences, as recorded
  std::vector<std::optional<int64_t>> numbers;  // by value id: recorded number of a scalar that sets an extent
  // By value id: whether its NaNs may be signaling ones, as only bits that a bitcast reads as floats are.
  std::vector<bool> maySignal;
  Arithmetic arithmetic;
};
RunFacts collectFacts(const fuser::Fusion& fusion, std::span<const fuser::HostValue> inputs);

// Converts a value in memory to single-valued sets.
Value exact(const fuser::HostValue& value);

class Slice {
 public:
  explicit Slice(const RunFacts& facts) : facts_(facts), values_(facts.fusion->valCount()) {}

  // Fixes a value's sets. Call it before the first `evaluate` that reaches the value.
  void anchor(uint32_t id, Value value) { values_[id] = std::move(value); }
  bool isKnown(uint32_t id) const { return values_[id].has_value(); }

  // Computes the sets of a value and of everything it depends on, unless known.
  const Value& evaluate(const fuser::Val* val);
  // Computes the value from its operands' sets even if it is known. nullopt for a value without definition.
  std::optional<Value> evaluateAlone(const fuser::Val* val);

  // The reductions without a recorded depth.
  const std::vector<const fuser::Expr*>& withoutDepth() const { return withoutDepth_; }
  // The scalars whose recorded number, by which an extent went, is outside of their sets; with these sets.
  const std::vector<std::pair<const fuser::Val*, Whole>>& wrongExtents() const { return wrongExtents_; }

 private:
  void computeOperands(const fuser::Expr* expr);
  Value compute(const fuser::Expr* expr, size_t result);
  const Value& operand(const fuser::Val* val);
  Value cast(const Value& value, fuser::DataType to) const;
  fuser::Dims shapeOf(const fuser::Expr* expr);
  // Sizes, counts and bounds among the attributes: of a pad, two an axis.
  std::vector<int64_t> numbersOf(const fuser::Expr* expr);
  int64_t extentOf(const fuser::Val* scalar);

  const RunFacts& facts_;
  std::vector<std::optional<Value>> values_;
  std::vector<const fuser::Expr*> withoutDepth_;
  std::vector<std::pair<const fuser::Val*, Whole>> wrongExtents_;
};

// --- the rules that compute() applies ---

Value pointwise(const fuser::Expr& expr, std::span<const Value> operands, const Arithmetic& arithmetic);
// The result of an op of two floats, where the NaNs of some operands may be signaling ones: beside those C's pow,
// hypot, fmax and fmin give NaN, where they and CUDA's give a number beside a quiet one.
Value besideSignaling(fuser::OpKind op, Value result, std::span<const Value> operands, std::array<bool, 2> maySignal);
// The dtype in which an op computes, and its rule on operands of it (a condition is a bool).
fuser::DataType commonType(const fuser::Expr& expr, std::span<const Value> operands);
Value applyRule(fuser::OpKind op, std::span<const Value> operands, fuser::DataType common,
                const Arithmetic& arithmetic);
Value castValue(const Value& value, fuser::DataType to);
// `depth`: additions on the longest path; only sums of floats use it.
Value reduce(const fuser::Expr& expr, const Value& operand, fuser::ReductionDepth depth, const Arithmetic& arithmetic);
// Of a reduction that nothing is known of.
Value anyReduced(const fuser::Expr& expr, size_t result, const Value& operand);

// An element of one of the operands.
struct Source {
  size_t operand;
  int64_t offset;
};
// Without sets: those of row-major elements are to follow.
Value dense(fuser::DataType dtype, const fuser::Dims& sizes);
int64_t offsetOf(const Value& value, const fuser::Dims& index);
// Builds a dense value of these sizes; pick(index) returns the source of each element.
Value collected(std::span<const Value> x, const fuser::Dims& sizes,
                const std::function<Source(const fuser::Dims& index)>& pick);

// slice, pad (the value is a scalar), cat, reshape, repeat, by their evaluated bounds, counts and sizes.
Value sliced(const Value& x, size_t dim, const fuser::Dims& startEndStep);
Value selected(const Value& x, size_t dim, int64_t index);
Value unfolded(const Value& x, size_t dim, int64_t window, int64_t spacing);
// x with `into` at the places of that slice.
Value written(const Value& x, const Value& into, size_t dim, const fuser::Dims& startEndStep);
// The element of x at each index along `dim`. Of an index that is not certain it is what any of those gives; of one
// that is out of range, whatever there is: the run is to be refused, where that element is read.
Value gathered(const Value& x, const Value& indices, size_t dim);
// The first operand with the elements of the third at their indices (the second) along `dim`, put there or added.
Value scattered(std::span<const Value> operands, size_t dim, bool adds, const Arithmetic& arithmetic);
Value padded(const Value& x, const Value& value, std::span<const int64_t> pads);
Value joined(std::span<const Value> x, size_t dim);
Value reshaped(const Value& x, fuser::Dims shape);
Value repeatedBy(const Value& x, const fuser::Dims& repeats);

// argmax, argmin: where the most extreme term may be.
Value scanned(const fuser::Expr& expr, const Value& operand, const std::optional<fuser::ReductionDepth>& depth,
              const Arithmetic& arithmetic);
Value extremeIndex(const fuser::Expr& expr, const Value& operand, const Arithmetic& arithmetic);

// var (result 0) and var_mean (0: variance, 1: mean).
Value welford(const fuser::Expr& expr, size_t result, const Value& operand, fuser::ReductionDepth depth);

// Calls visit(offsets) for each index below extents in row-major order; offsets[k] = sum of index * strides[k].
template <size_t kCount, class Visit>
void forEachOffset(const fuser::Dims& extents, const std::array<fuser::Dims, kCount>& strides, const Visit& visit) {
  for (int64_t extent : extents) {
    if (extent == 0) return;
  }
  std::array<int64_t, kCount> offsets{};
  fuser::Dims index(extents.size(), 0);
  while (true) {
    visit(offsets);
    size_t axis = extents.size();
    while (axis > 0) {
      --axis;
      for (size_t k = 0; k < kCount; ++k) offsets[k] += strides[k][axis];
      if (++index[axis] < extents[axis]) break;
      for (size_t k = 0; k < kCount; ++k) offsets[k] -= strides[k][axis] * extents[axis];
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (extents.empty()) return;
  }
}

}  // namespace oracle
