#pragma once
// Memory for the tensors that a host program allocates.

#include <memory>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/host_run/memory_pool.h"
#include "fuser/ir/tensor_view.h"
#include "fuser/types/tensor_ref.h"

namespace fuser {

struct TensorMemory {
  std::shared_ptr<std::byte[]> memory;
  TensorRef ref;
};

// In elements, an entry for each of axes(); sizes: of the same axes, in PyTorch's eyes. Row-major in the
// allocation order, with stride 0 (one element stored) on broadcast axes.
Dims allocationStrides(const TensorView* tensor, const Dims& sizes);

// From the pool, aligned to 64 bytes and filled with poison: NaN in every floating type, an unlikely number in the
// others, so that what no kernel wrote shows. A UserError when it takes more than maxBytes.
TensorMemory allocateTensor(const TensorView* tensor, const Dims& sizes, size_t maxBytes, MemoryPool& pool);

// The source's memory as the ops that make `tensor` of it see it; sizes: of the tensor. CheckError where one of them is
// no move.
TensorRef viewOf(const TensorView* tensor, const TensorView* source, const TensorRef& memory, const Dims& sizes);

// The bytes of the elements in logical order, whatever the strides.
std::vector<std::byte> elementsOf(const TensorRef& tensor);

// Element by element, in logical order; both have the same dtype and sizes and do not overlap.
void copyElements(const TensorRef& from, const TensorRef& to);

}  // namespace fuser
