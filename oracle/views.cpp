// The ops that change the coordinates of elements, as exact copies, each written from PyTorch's definition of the op.

#include <algorithm>

#include "oracle/rounding.h"
#include "oracle/slice.h"

namespace oracle {

using fuser::Dims;

Value dense(fuser::DataType dtype, const Dims& sizes) {
  Value value;
  value.dtype = dtype;
  value.sizes = sizes;
  value.strides = fuser::contiguousStrides(sizes);
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    if (sizes[axis] == 1) value.strides[axis] = 0;
  }
  return value;
}

int64_t offsetOf(const Value& value, const Dims& index) {
  int64_t offset = 0;
  for (size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * value.strides[axis];
  return offset;
}

Value collected(std::span<const Value> x, const Dims& sizes, const std::function<Source(const Dims& index)>& pick) {
  std::vector<Source> sources;
  sources.reserve(static_cast<size_t>(fuser::numel(sizes)));
  Dims index(sizes.size(), 0);
  forEachOffset<1>(sizes, {fuser::contiguousStrides(sizes)}, [&](const std::array<int64_t, 1>& at) {
    int64_t rest = at[0];
    for (size_t axis = sizes.size(); axis-- > 0;) {
      index[axis] = rest % sizes[axis];
      rest /= sizes[axis];
    }
    sources.push_back(pick(index));
  });
  Value result = dense(x[0].dtype, sizes);
  const auto copy = [&](const auto& elementOf) {
    std::vector<decltype(elementOf(x[0], int64_t{0}))> elements;
    elements.reserve(sources.size());
    for (const Source& source : sources) elements.push_back(elementOf(x[source.operand], source.offset));
    return std::make_shared<const decltype(elements)>(std::move(elements));
  };
  if (x[0].whole) {
    result.whole = copy([](const Value& value, int64_t offset) -> Whole { return value.wholeAt(offset); });
    return result;
  }
  result.real = copy([](const Value& value, int64_t offset) -> Interval { return value.realAt(offset); });
  const bool unrounded = std::any_of(x.begin(), x.end(), [](const Value& value) { return value.products != nullptr; });
  if (unrounded) result.products = copy(unroundedAt);
  return result;
}

Value sliced(const Value& x, size_t dim, const Dims& startEndStep) {
  const int64_t size = x.sizes[dim], step = startEndStep[2];
  const auto clamped = [&](int64_t bound) {
    const int64_t fromStart = bound < 0 ? bound + size : bound;
    return fromStart < 0 ? 0 : fromStart > size ? size : fromStart;
  };
  const int64_t start = clamped(startEndStep[0]), end = clamped(startEndStep[1]);
  Dims sizes = x.sizes;
  sizes[dim] = end <= start ? 0 : (end - start - 1) / step + 1;
  return collected({&x, 1}, sizes, [&](Dims index) {
    index[dim] = start + index[dim] * step;
    return Source{0, offsetOf(x, index)};
  });
}

// The one index's memory, without the axis.
Value selected(const Value& x, size_t dim, int64_t index) {
  Value one = sliced(x, dim, {index, index == -1 ? x.sizes[dim] : index + 1, 1});
  one.sizes.erase(dim);
  one.strides.erase(dim);
  return one;
}

// The windows share the operand's sets.
Value unfolded(const Value& x, size_t dim, int64_t window, int64_t spacing) {
  Value windows = x;
  const int64_t size = x.sizes[dim], stride = x.strides[dim];
  windows.sizes[dim] = 1 + (size - window) / spacing;
  windows.strides[dim] = stride * spacing;
  windows.sizes.push_back(window);
  windows.strides.push_back(stride);
  return windows;
}

Value written(const Value& x, const Value& into, size_t dim, const Dims& startEndStep) {
  const int64_t size = x.sizes[dim], step = startEndStep[2];
  const int64_t start = std::clamp<int64_t>(startEndStep[0] + (startEndStep[0] < 0 ? size : 0), 0, size);
  const Value operands[] = {x, into};
  return collected(operands, x.sizes, [&](Dims index) {
    const int64_t beyond = index[dim] - start, place = beyond / step;
    if (beyond < 0 || place * step != beyond || place >= into.sizes[dim]) return Source{0, offsetOf(x, index)};
    index[dim] = place;
    return Source{1, offsetOf(into, index)};
  });
}

Value gathered(const Value& x, const Value& indices, size_t dim) {
  constexpr int64_t kMostCandidates = 1024;  // of one index
  const int64_t size = x.sizes[dim];
  const Dims& sizes = indices.sizes;
  Value result = dense(x.dtype, sizes);
  Dims others = x.strides;  // along the other axes, elements lie where the index does
  others[dim] = 0;
  const auto collect = [&](const auto& setAt, const auto& anything) {
    std::vector<std::decay_t<decltype(anything)>> sets;
    sets.reserve(static_cast<size_t>(fuser::numel(sizes)));
    forEachOffset<2>(sizes, {indices.strides, others}, [&](const std::array<int64_t, 2>& at) {
      const Whole index = indices.wholeAt(at[0]);
      if (index.lo < 0 || index.hi >= size || index.hi - index.lo >= kMostCandidates) return sets.push_back(anything);
      auto set = setAt(at[1] + index.lo * x.strides[dim]);
      for (int64_t place = index.lo + 1; place <= index.hi; ++place) {
        set = hull(set, setAt(at[1] + place * x.strides[dim]));
      }
      sets.push_back(set);
    });
    return std::make_shared<const decltype(sets)>(std::move(sets));
  };
  if (x.whole) {
    result.whole = collect([&](int64_t offset) -> Whole { return x.wholeAt(offset); }, fullRange(x.dtype));
    return result;
  }
  const double largest = format(fuser::computeType(x.dtype)).largest;
  result.real = collect([&](int64_t offset) -> Interval { return x.realAt(offset); }, Interval::everything(largest));
  if (x.products) {
    result.products = collect([&](int64_t offset) { return unroundedAt(x, offset); }, Unrounded{-largest, largest});
  }
  return result;
}

Value padded(const Value& x, const Value& value, std::span<const int64_t> pads) {
  const size_t rank = x.sizes.size();
  Dims low(rank, 0);
  Dims sizes = x.sizes;
  for (size_t pair = 0; pair < pads.size() / 2; ++pair) {
    const size_t axis = rank - 1 - pair;
    low[axis] = pads[2 * pair];
    sizes[axis] += pads[2 * pair] + pads[2 * pair + 1];
  }
  const Value operands[] = {x, castValue(value, x.dtype)};
  return collected(operands, sizes, [&](Dims index) {
    for (size_t axis = 0; axis < rank; ++axis) {
      index[axis] -= low[axis];
      if (index[axis] < 0 || index[axis] >= x.sizes[axis]) return Source{1, 0};
    }
    return Source{0, offsetOf(x, index)};
  });
}

Value joined(std::span<const Value> x, size_t dim) {
  Dims sizes = x[0].sizes;
  for (size_t i = 1; i < x.size(); ++i) sizes[dim] += x[i].sizes[dim];
  return collected(x, sizes, [&](Dims index) {
    size_t operand = 0;
    while (index[dim] >= x[operand].sizes[dim]) index[dim] -= x[operand++].sizes[dim];
    return Source{operand, offsetOf(x[operand], index)};
  });
}

Value reshaped(const Value& x, Dims shape) {
  int64_t known = 1;
  for (int64_t size : shape) known *= size == -1 ? 1 : size;
  for (int64_t& size : shape) {
    if (size == -1) size = known == 0 ? 0 : fuser::numel(x.sizes) / known;
  }
  return collected({&x, 1}, shape, [&](const Dims& index) {
    int64_t place = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) place = place * shape[axis] + index[axis];
    int64_t offset = 0;
    for (size_t axis = x.sizes.size(); axis-- > 0;) {
      offset += place % x.sizes[axis] * x.strides[axis];
      place /= x.sizes[axis];
    }
    return Source{0, offset};
  });
}

Value repeatedBy(const Value& x, const Dims& repeats) {
  const size_t added = repeats.size() - x.sizes.size();
  Dims sizes = repeats;
  for (size_t axis = added; axis < sizes.size(); ++axis) sizes[axis] *= x.sizes[axis - added];
  return collected({&x, 1}, sizes, [&](const Dims& index) {
    int64_t offset = 0;
    for (size_t axis = added; axis < sizes.size(); ++axis) {
      offset += index[axis] % x.sizes[axis - added] * x.strides[axis - added];
    }
    return Source{0, offset};
  });
}

}  // namespace oracle
