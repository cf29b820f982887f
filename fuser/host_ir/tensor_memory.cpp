// Allocation of tensors on the host.

#include "fuser/host_ir/tensor_memory.h"

#include <cstring>
#include <new>

namespace fuser {
namespace {

constexpr std::align_val_t kAlignment{64};

std::shared_ptr<std::byte[]> allocateBytes(size_t bytes) {
  // Never empty, so that every tensor has an address of its own.
  auto* memory = static_cast<std::byte*>(::operator new[](std::max<size_t>(bytes, 1), kAlignment));
  return {memory, [](std::byte* pointer) { ::operator delete[](pointer, kAlignment); }};
}

Dims storedSizes(const TensorView* tensor, const Dims& sizes) {
  const std::vector<IterDomain*> axes = tensor->axes();
  Dims stored = sizes;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis]->isBroadcast()) stored[axis] = 1;
  }
  return stored;
}

}  // namespace

Dims allocationStrides(const TensorView* tensor, const Dims& sizes) {
  const std::vector<IterDomain*> axes = tensor->axes();
  const std::vector<int>& order = tensor->domain().allocationOrder;
  Dims strides = stridesInOrder(storedSizes(tensor, sizes), Dims(order.begin(), order.end()));
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis]->isBroadcast()) strides[axis] = 0;
  }
  return strides;
}

TensorMemory allocateTensor(const TensorView* tensor, const Dims& sizes, size_t maxBytes) {
  // An expanded size of 0 stores nothing.
  const int64_t elements = numel(sizes) == 0 ? 0 : numel(storedSizes(tensor, sizes));
  const size_t bytes = static_cast<size_t>(elements) * dtypeSize(tensor->dtype());
  FUSER_USER_CHECK(bytes <= maxBytes, "%", tensor->name(), " of sizes ", sizes, " takes ", bytes, " bytes, and ",
                   maxBytes, " are left of what a run may take");
  TensorMemory result;
  result.memory = allocateBytes(bytes);
  std::memset(result.memory.get(), isFloating(tensor->dtype()) ? 0xff : 0xa5, bytes);
  result.ref.data = result.memory.get();
  result.ref.dtype = tensor->dtype();
  result.ref.sizes = sizes;
  result.ref.strides = allocationStrides(tensor, sizes);
  return result;
}

}  // namespace fuser
