// Allocation of tensors on the host.

#include "fuser/host_ir/tensor_memory.h"

#include <algorithm>
#include <cstring>

namespace fuser {
namespace {

// The strides of a result from those of its operand; broadcast axes aside.
Dims movedStrides(const Expr* move, const Dims& strides) {
  const std::vector<int64_t>& dims = move->attributes().dims;
  const auto contains = [&](size_t axis) {
    return std::find(dims.begin(), dims.end(), static_cast<int64_t>(axis)) != dims.end();
  };
  const size_t rank = move->output()->as<TensorView>()->rank();
  const OpKind op = move->op();
  if (op == OpKind::Set || op == OpKind::Expand) return strides;
  Dims moved;
  if (op == OpKind::Permute) {
    for (int64_t axis : dims) moved.push_back(strides[static_cast<size_t>(axis)]);
  } else if (op == OpKind::Unsqueeze) {
    for (size_t axis = 0, next = 0; axis < rank; ++axis) moved.push_back(contains(axis) ? 0 : strides[next++]);
  } else {
    FUSER_CHECK(op == OpKind::Squeeze, "%", move->output()->name(), " is no view");
    for (size_t axis = 0; axis < strides.size(); ++axis) {
      if (!contains(axis)) moved.push_back(strides[axis]);
    }
  }
  return moved;
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

TensorRef viewOf(const TensorView* tensor, const TensorView* source, const TensorRef& memory, const Dims& sizes) {
  std::vector<const Expr*> moves;
  for (const TensorView* at = tensor; at != source && at->domain().view;) {
    moves.push_back(at->definition());
    at = moves.back()->input(0)->as<TensorView>();
  }
  TensorRef view = memory;
  for (auto move = moves.rbegin(); move != moves.rend(); ++move) view.strides = movedStrides(*move, view.strides);
  const std::vector<IterDomain*> axes = tensor->axes();
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis]->isBroadcast()) view.strides[axis] = 0;
  }
  view.sizes = sizes;
  return view;
}

void copyElements(const TensorRef& from, const TensorRef& to) {
  const size_t size = dtypeSize(from.dtype);
  const auto* source = static_cast<const std::byte*>(from.data);
  auto* target = static_cast<std::byte*>(to.data);
  const int64_t count = numel(from.sizes);
  for (int64_t index = 0; index < count; ++index) {
    int64_t rest = index, read = 0, written = 0;
    for (size_t axis = from.sizes.size(); axis-- > 0;) {
      const int64_t place = rest % from.sizes[axis];
      rest /= from.sizes[axis];
      read += place * from.strides[axis];
      written += place * to.strides[axis];
    }
    std::memcpy(target + written * static_cast<int64_t>(size), source + read * static_cast<int64_t>(size), size);
  }
}

std::vector<std::byte> elementsOf(const TensorRef& tensor) {
  std::vector<std::byte> bytes(static_cast<size_t>(numel(tensor.sizes)) * dtypeSize(tensor.dtype));
  copyElements(tensor, {bytes.data(), tensor.dtype, tensor.sizes, contiguousStrides(tensor.sizes), tensor.device});
  return bytes;
}

TensorMemory allocateTensor(const TensorView* tensor, const Dims& sizes, size_t maxBytes, MemoryPool& pool) {
  // An expanded size of 0 stores nothing.
  const int64_t elements = numel(sizes) == 0 ? 0 : numel(storedSizes(tensor, sizes));
  const size_t bytes = static_cast<size_t>(elements) * dtypeSize(tensor->dtype());
  FUSER_USER_CHECK(bytes <= maxBytes, "%", tensor->name(), " of sizes ", sizes, " takes ", bytes, " bytes, and ",
                   maxBytes, " are left of what a run may take");
  TensorMemory result;
  result.memory = pool.take(bytes);
  std::memset(result.memory.get(), isFloating(tensor->dtype()) ? 0xff : 0xa5, bytes);
  result.ref.data = result.memory.get();
  result.ref.dtype = tensor->dtype();
  result.ref.sizes = sizes;
  result.ref.strides = allocationStrides(tensor, sizes);
  return result;
}

}  // namespace fuser
