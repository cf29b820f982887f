#pragma once
// Allocation, views and copies of tensors for host programs.

#include <functional>
#include <memory>
#include <span>

#include "fuser/analysis/stored_slices.h"
#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/host_run/memory_pool.h"
#include "fuser/ir/tensor_view.h"
#include "fuser/types/tensor_ref.h"

namespace fuser {

struct TensorMemory {
  std::shared_ptr<std::byte[]> memory;
  TensorRef ref;
};

// The strides, in elements, of each of axes(): dense in the allocation order, 0 on broadcast axes, which store one
// element. `sizes` are the sizes of axes(), as PyTorch reports them.
Dims allocationStrides(const TensorView* tensor, const Dims& sizes);

// The strides of a tensor that stores each element alone: dense in the allocation order, broadcast axes included.
Dims denseStrides(const TensorView* tensor, const Dims& sizes);

// Allocates a tensor from the pool, aligned to 64 bytes and filled with poison (NaN for floating dtypes, an unlikely
// number otherwise), so that unwritten elements show. A UserError if it needs more than maxBytes.
TensorMemory allocateTensor(const TensorView* tensor, const Dims& sizes, size_t maxBytes, MemoryPool& pool);

// A workspace of a launch, of `elements` elements: filled with poison, or with zeros. A UserError as above.
TensorMemory allocateWorkspace(DataType dtype, int64_t elements, bool zeroed, size_t maxBytes, MemoryPool& pool);

// A copy that stores each element alone. A UserError as above.
TensorMemory denseCopy(const TensorView* tensor, const TensorRef& from, size_t maxBytes, MemoryPool& pool);

// The view of the source's memory that the ops from `source` to `tensor` define; `sizes` are the tensor's. A CheckError
// if one of those ops is not a view op.
TensorRef viewOf(const TensorView* tensor, const TensorView* source, const TensorRef& memory, const Dims& sizes);

// The places in a tensor's memory that the steps lead to, for a slice of these sizes. A CheckError for a reshape that
// is no view of it, for places of other sizes, and for a slice that does not lie in its axis.
TensorRef placeIn(const TensorRef& memory, std::span<const PlaceStep> steps, const Dims& sizes,
                  const std::function<int64_t(IntExpr)>& evaluate);

// All stored elements of a tensor that is sent or received, along one axis. A CheckError where it is not dense.
TensorRef flatElements(const TensorView* named, const TensorRef& tensor);

// Whether an expanded axis shows one element several times.
bool repeatsElements(const TensorRef& tensor);

// The bytes of the elements in logical (row-major) order, for any strides.
std::vector<std::byte> elementsOf(const TensorRef& tensor);

// Copies all elements. Both tensors have the same dtype and sizes and must not overlap.
void copyElements(const TensorRef& from, const TensorRef& to);

}  // namespace fuser
