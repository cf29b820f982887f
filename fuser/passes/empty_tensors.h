#pragma once
// What passes know of tensors without elements.

#include <algorithm>
#include <vector>

#include "fuser/ir/tensor_view.h"

namespace fuser {

inline bool hasZeroExtent(const std::vector<IterDomain*>& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis->size()->isConstant(0); });
}

// What `full` fills a tensor with that no element of it shows.
inline ScalarValue zeroOf(DataType dtype) {
  if (dtype == DataType::Bool) return ScalarValue(false);
  return isFloating(dtype) ? ScalarValue(0.0) : ScalarValue(int64_t{0});
}

}  // namespace fuser
