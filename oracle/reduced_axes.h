#pragma once
// Iterates over the results of a reduction and over the terms of each. Sums, extrema and variances share it.
//
// Offsets and strides count elements of the operand's sets. Along an axis on which the operand does not vary, the
// result is computed and stored once.

#include <algorithm>
#include <memory>
#include <vector>

#include "oracle/slice.h"

namespace oracle {

// The kept axes select a result element, the reduced axes iterate over its terms.
struct ReducedAxes {
  fuser::Dims sizes;    // of the result
  fuser::Dims stored;   // sizes, but 1 along an axis on which the result is stored once
  fuser::Dims strides;  // of the result
  fuser::Dims operand;  // the operand's strides along the kept axes
  fuser::Dims reducedSizes;
  fuser::Dims reducedStrides;
};

inline ReducedAxes reducedAxes(const Value& operand, const std::vector<int64_t>& dims) {
  ReducedAxes axes;
  for (size_t axis = 0; axis < operand.sizes.size(); ++axis) {
    if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(axis)) != dims.end()) {
      axes.reducedSizes.push_back(operand.sizes[axis]);
      axes.reducedStrides.push_back(operand.strides[axis]);
      continue;
    }
    axes.sizes.push_back(operand.sizes[axis]);
    axes.stored.push_back(operand.strides[axis] == 0 && operand.sizes[axis] != 0 ? 1 : operand.sizes[axis]);
    axes.operand.push_back(operand.strides[axis]);
  }
  axes.strides = fuser::contiguousStrides(axes.stored);
  for (size_t axis = 0; axis < axes.sizes.size(); ++axis) {
    if (axes.stored[axis] == 1) axes.strides[axis] = 0;
  }
  return axes;
}

// Computes all results; reduceOne(base) returns the set of the result whose terms start at offset base.
template <class Set, class ReduceOne>
std::shared_ptr<const std::vector<Set>> forEachResult(const ReducedAxes& axes, const ReduceOne& reduceOne) {
  std::vector<Set> sets;
  sets.reserve(static_cast<size_t>(fuser::numel(axes.stored)));
  forEachOffset<1>(axes.stored, {axes.operand},
                   [&](const std::array<int64_t, 1>& at) { sets.push_back(reduceOne(at[0])); });
  return std::make_shared<const std::vector<Set>>(std::move(sets));
}

// Calls visit(offset) for each term of that result, in row-major order of the reduced axes; never if one is empty.
template <class Visit>
void forEachTerm(const ReducedAxes& axes, int64_t base, const Visit& visit) {
  forEachOffset<1>(axes.reducedSizes, {axes.reducedStrides},
                   [&](const std::array<int64_t, 1>& at) { visit(base + at[0]); });
}

}  // namespace oracle
