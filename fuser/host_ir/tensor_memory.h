#pragma once
// Memory for the tensors that a host program allocates.

#include <memory>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/ir/tensor_view.h"
#include "fuser/types/tensor_ref.h"

namespace fuser {

struct TensorMemory {
  std::shared_ptr<std::byte[]> memory;
  TensorRef ref;
};

// Row-major in the tensor's allocation order, with stride 0 (one element stored) on broadcast axes.
Dims allocationStrides(const TensorView* tensor, const Dims& sizes);

// Aligned to 64 bytes and filled with poison: NaN in every floating type, an unlikely number in the others, so that
// what no kernel wrote shows. A UserError when it takes more than maxBytes.
TensorMemory allocateTensor(const TensorView* tensor, const Dims& sizes, size_t maxBytes);

}  // namespace fuser
