// Allocation of tensors on the host.

#include "fuser/host_run/tensor_memory.h"
#include "fuser/support/rejection.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace fuser {
namespace {

// Derives the strides, or sizes, of a view op's result from those of its operand; new broadcast axes get
// `newAxisValue`.
Dims movedAxes(const Expr* move, const Dims& strides, int64_t newAxisValue) {
  const std::vector<int64_t>& dims = move->attributes().allAxes();
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
    for (size_t axis = 0, next = 0; axis < rank; ++axis)
      moved.push_back(contains(axis) ? newAxisValue : strides[next++]);
  } else {
    FUSER_CHECK(op == OpKind::Squeeze, "%", move->output()->name(), " is not a view");
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

struct CopiedAxis {
  int64_t size;
  int64_t read;  // elements from one place to the next
  int64_t write;
};

// Merges axes that are contiguous on both sides; leaves at least one, unless there is nothing to copy.
std::vector<CopiedAxis> copiedAxes(const TensorRef& from, const TensorRef& to) {
  std::vector<CopiedAxis> axes{{1, 1, 1}};
  for (size_t axis = from.sizes.size(); axis-- > 0;) {
    const CopiedAxis outer{from.sizes[axis], from.strides[axis], to.strides[axis]};
    if (outer.size == 0) return {};
    if (outer.size == 1) continue;
    CopiedAxis& inner = axes.back();
    if (inner.size == 1) {
      inner = outer;
    } else if (outer.read == inner.size * inner.read && outer.write == inner.size * inner.write) {
      inner.size *= outer.size;
    } else {
      axes.push_back(outer);
    }
  }
  return axes;
}

// The innermost axis is the first.
template <size_t kBytes>
void copyAxes(std::span<const CopiedAxis> axes, const std::byte* source, std::byte* target) {
  constexpr auto kStep = static_cast<int64_t>(kBytes);
  const CopiedAxis& axis = axes.back();
  if (axes.size() > 1) {
    for (int64_t i = 0; i < axis.size; ++i) {
      copyAxes<kBytes>(axes.first(axes.size() - 1), source + i * axis.read * kStep, target + i * axis.write * kStep);
    }
  } else if (axis.read == 1 && axis.write == 1) {
    std::memcpy(target, source, static_cast<size_t>(axis.size) * kBytes);
  } else {
    for (int64_t i = 0; i < axis.size; ++i) {
      std::memcpy(target + i * axis.write * kStep, source + i * axis.read * kStep, kBytes);
    }
  }
}

struct Layout {
  Dims sizes, strides;
};

// The strides with which a reshape sees the memory: each of its axes lies in one axis of it, or in several that lie as
// one.
Layout reshapedLayout(const TensorRef& memory, const Dims& sizes) {
  Layout seen{sizes, Dims(sizes.size(), 1)};
  size_t to = sizes.size();
  for (size_t from = memory.sizes.size(); from > 0;) {
    int64_t stride = memory.strides[--from], count = memory.sizes[from];
    while (from > 0 && (memory.sizes[from - 1] == 1 || memory.strides[from - 1] == stride * count)) {
      count *= memory.sizes[--from];
    }
    for (int64_t held = 1; to > 0 && (held < count || sizes[to - 1] == 1);) {
      seen.strides[--to] = stride * held;
      held *= sizes[to];
      FUSER_CHECK(held <= count, "a reshape to sizes ", sizes, " is no view of memory of sizes ", memory.sizes,
                  " and strides ", memory.strides);
    }
  }
  return seen;
}

void takeStep(TensorRef& place, const PlaceStep& step, const std::function<int64_t(IntExpr)>& evaluate) {
  const auto axis = [](int64_t dim) { return static_cast<size_t>(dim); };
  if (step.op == OpKind::Slice) {
    const size_t dim = axis(step.dims[0]);
    const int64_t start = evaluate(step.start), apart = evaluate(step.step), size = place.sizes[dim];
    place.sizes[dim] = evaluate(step.sizes[0]);
    if (numel(place.sizes) != 0) {
      const int64_t last = start + (place.sizes[dim] - 1) * apart;
      FUSER_CHECK(start >= 0 && last < size, "a slice from ", start, " to ", last, " lies in no axis of size ", size);
      place.data = static_cast<std::byte*>(place.data) +
                   start * place.strides[dim] * static_cast<int64_t>(dtypeSize(place.dtype));
    }
    place.strides[dim] *= apart;
  } else if (step.op == OpKind::Permute) {
    Dims sizes, strides;
    for (int64_t dim : step.dims) {
      sizes.push_back(place.sizes[axis(dim)]);
      strides.push_back(place.strides[axis(dim)]);
    }
    place.sizes = sizes;
    place.strides = strides;
  } else if (step.op == OpKind::Squeeze) {
    for (auto dim = step.dims.rbegin(); dim != step.dims.rend(); ++dim) {
      place.sizes.erase(axis(*dim));
      place.strides.erase(axis(*dim));
    }
  } else if (step.op == OpKind::Unsqueeze) {
    for (int64_t dim : step.dims) {
      place.sizes.insert(axis(dim), 1);
      place.strides.insert(axis(dim), 0);
    }
  } else {
    Dims sizes;
    for (IntExpr size : step.sizes) sizes.push_back(evaluate(size));
    if (numel(sizes) != 0) place.strides = reshapedLayout(place, sizes).strides;
    if (numel(sizes) == 0) place.strides = contiguousStrides(sizes);
    place.sizes = sizes;
  }
}

int poisonOf(DataType dtype) { return isFloating(dtype) ? 0xff : 0xa5; }  // each byte

TensorMemory allocateElements(const TensorView* tensor, int64_t elements, const Layout& layout, size_t maxBytes,
                              MemoryPool& pool) {
  const size_t bytes = static_cast<size_t>(elements) * dtypeSize(tensor->dtype());
  FUSER_REJECT_UNLESS(bytes <= maxBytes, TensorMemory, "%", tensor->name(), " of sizes ", layout.sizes, " takes ",
                      bytes, " bytes, and ", maxBytes, " are left of what a run may take");
  TensorMemory result;
  result.memory = pool.allocate(bytes);
  std::memset(result.memory.get(), poisonOf(tensor->dtype()), bytes);
  result.ref.data = result.memory.get();
  result.ref.dtype = tensor->dtype();
  result.ref.sizes = layout.sizes;
  result.ref.strides = layout.strides;
  return result;
}

}  // namespace

TensorMemory allocateWorkspace(DataType dtype, int64_t elements, bool zeroed, size_t maxBytes, MemoryPool& pool) {
  const size_t bytes = static_cast<size_t>(elements) * dtypeSize(dtype);
  FUSER_REJECT_UNLESS(bytes <= maxBytes, TensorMemory, "a workspace of ", elements, " elements takes ", bytes,
                      " bytes, and ", maxBytes, " are left of what a run may take");
  TensorMemory result;
  result.memory = pool.allocate(bytes);
  std::memset(result.memory.get(), zeroed ? 0 : poisonOf(dtype), bytes);
  result.ref = {result.memory.get(), dtype, Dims{elements}, Dims{1}, {}};
  return result;
}

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
  const TensorView* at = tensor;
  while (at != source && at->domain().view) {
    moves.push_back(at->definition());
    at = moves.back()->input(0)->as<TensorView>();
  }
  bool fits = memory.dtype == tensor->dtype() && memory.sizes.size() == at->rank();
  TensorRef view = memory;
  for (auto move = moves.rbegin(); fits && move != moves.rend(); ++move) {
    view.strides = movedAxes(*move, view.strides, 0);
    view.sizes = movedAxes(*move, view.sizes, 1);
  }
  const std::vector<IterDomain*> axes = tensor->axes();
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const bool stored = fits && view.sizes[axis] == sizes[axis] && sizes[axis] != 1;
    fits = fits && (axes[axis]->isBroadcast() || view.sizes[axis] == sizes[axis]);
    // The source may hold each element of an axis that it expands; what is expanded here takes no memory.
    if (fits && axes[axis]->isBroadcast() && !stored) view.strides[axis] = 0;
  }
  FUSER_CHECK(fits, "%", tensor->name(), " cannot be seen in the memory of %", source->name());
  view.sizes = sizes;
  return view;
}

TensorRef placeIn(const TensorRef& memory, std::span<const PlaceStep> steps, const Dims& sizes,
                  const std::function<int64_t(IntExpr)>& evaluate) {
  TensorRef place = memory;
  for (const PlaceStep& step : steps) takeStep(place, step, evaluate);
  FUSER_CHECK(place.sizes == sizes, "a slice of sizes ", sizes, " is to be stored at a place of sizes ", place.sizes);
  return place;
}

TensorRef flatElements(const TensorView* named, const TensorRef& tensor) {
  TensorRef all = tensor;
  int64_t stored = numel(tensor.sizes) == 0 ? 0 : 1;
  for (size_t axis = 0; axis < tensor.sizes.size(); ++axis) {
    if (tensor.strides[axis] != 0) stored *= tensor.sizes[axis];
  }
  FUSER_CHECK(stored == extentInMemory(tensor.sizes, tensor.strides), "%", named->name(),
              " is sent or received and not dense");
  all.sizes = Dims{extentInMemory(tensor.sizes, tensor.strides)};
  all.strides = Dims{1};
  return all;
}

bool repeatsElements(const TensorRef& tensor) {
  for (size_t axis = 0; axis < tensor.sizes.size(); ++axis) {
    if (tensor.sizes[axis] > 1 && tensor.strides[axis] == 0) return numel(tensor.sizes) > 0;
  }
  return false;
}

void copyElements(const TensorRef& from, const TensorRef& to) {
  FUSER_CHECK(from.dtype == to.dtype && from.sizes == to.sizes, "a copy from ", from.dtype, " of sizes ", from.sizes,
              " to ", to.dtype, " of sizes ", to.sizes);
  const std::vector<CopiedAxis> axes = copiedAxes(from, to);
  if (axes.empty()) return;
  switch (dtypeSize(from.dtype)) {
    case 1: return copyAxes<1>(axes, static_cast<const std::byte*>(from.data), static_cast<std::byte*>(to.data));
    case 2: return copyAxes<2>(axes, static_cast<const std::byte*>(from.data), static_cast<std::byte*>(to.data));
    case 4: return copyAxes<4>(axes, static_cast<const std::byte*>(from.data), static_cast<std::byte*>(to.data));
    case 8: return copyAxes<8>(axes, static_cast<const std::byte*>(from.data), static_cast<std::byte*>(to.data));
  }
  FUSER_CHECK(false, "elements of ", dtypeSize(from.dtype), " bytes");
}

std::vector<std::byte> elementsOf(const TensorRef& tensor) {
  std::vector<std::byte> bytes(static_cast<size_t>(numel(tensor.sizes)) * dtypeSize(tensor.dtype));
  copyElements(tensor, {bytes.data(), tensor.dtype, tensor.sizes, contiguousStrides(tensor.sizes), tensor.device});
  return bytes;
}

Dims denseStrides(const TensorView* tensor, const Dims& sizes) {
  const std::vector<int>& order = tensor->domain().allocationOrder;
  return stridesInOrder(sizes, Dims(order.begin(), order.end()));
}

TensorMemory allocateTensor(const TensorView* tensor, const Dims& sizes, size_t maxBytes, MemoryPool& pool) {
  // An expanded size of 0 stores nothing.
  const int64_t elements = numel(sizes) == 0 ? 0 : numel(storedSizes(tensor, sizes));
  return allocateElements(tensor, elements, {sizes, allocationStrides(tensor, sizes)}, maxBytes, pool);
}

TensorMemory denseCopy(const TensorView* tensor, const TensorRef& from, size_t maxBytes, MemoryPool& pool) {
  TensorMemory copy =
      allocateElements(tensor, numel(from.sizes), {from.sizes, denseStrides(tensor, from.sizes)}, maxBytes, pool);
  copyElements(from, copy.ref);
  return copy;
}

}  // namespace fuser
