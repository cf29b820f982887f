#include "fuzz/compilers/exact_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fuser/types/scalar_value.h"

namespace fuser::fuzz {
namespace {

// Of a tensor of these sizes along the axes of a larger one: 0 along what it lacks.
Dims stridesIn(const Dims& own, const Dims& sizes) {
  const Dims dense = contiguousStrides(own);
  Dims strides(sizes.size(), 0);
  const size_t lacking = sizes.size() - std::min(own.size(), sizes.size());
  for (size_t axis = 0; axis + lacking < sizes.size(); ++axis) {
    if (own[axis] != 1) strides[axis + lacking] = dense[axis];
  }
  return strides;
}

std::vector<Dims> stridesOf(const Dims& sizes, const std::vector<const Numbers*>& operands) {
  std::vector<Dims> strides;
  for (const Numbers* operand : operands) strides.push_back(stridesIn(operand->sizes, sizes));
  return strides;
}

}  // namespace

Aligned::Aligned(const Dims& sizes, const std::vector<const Numbers*>& operands)
    : Aligned(sizes, stridesOf(sizes, operands)) {}

void Aligned::next() {
  for (size_t axis = sizes_.size(); axis-- > 0;) {
    const bool wraps = ++index_[axis] == sizes_[axis];
    if (wraps) index_[axis] = 0;
    for (size_t i = 0; i < places_.size(); ++i) {
      const int64_t stride = strides_[i][axis];
      places_[i] += static_cast<size_t>(wraps ? -stride * (sizes_[axis] - 1) : stride);
    }
    if (!wraps) return;
  }
}

Numbers numbersOf(const reference::Value& value) {
  if (const ScalarValue* scalar = std::get_if<ScalarValue>(&value.value)) {
    Numbers number{scalar->dtype(), {}, {scalar->as<double>()}};
    number.bounds.add(number.elements.front());
    return number;
  }
  const TensorRef& tensor = std::get<TensorRef>(value.value);
  Numbers numbers{tensor.dtype, tensor.sizes, {}};
  const auto count = static_cast<size_t>(numel(tensor.sizes));
  numbers.elements.reserve(count);
  const bool isDense = tensor.strides == contiguousStrides(tensor.sizes);
  Aligned at(tensor.sizes, std::vector<Dims>{tensor.strides});
  dispatch(tensor.dtype, [&]<class T>() {
    const auto* data = static_cast<const std::byte*>(tensor.data);
    for (size_t i = 0; i < count; ++i) {
      T element;
      std::memcpy(&element, data + (isDense ? i : at.places()[0]) * sizeof element, sizeof element);
      numbers.elements.push_back(convert<double>(element));
      numbers.bounds.add(numbers.elements.back());
      if (!isDense) at.next();
    }
  });
  return numbers;
}

bool allFinite(const Numbers& numbers) {
  return std::all_of(numbers.elements.begin(), numbers.elements.end(),
                     [](double number) { return std::isfinite(number); });
}

std::vector<size_t> rowsOf(const Dims& sizes, const std::vector<int64_t>& reduced) {
  Dims strides(sizes.size(), 0);
  int64_t next = 1;
  for (size_t axis = sizes.size(); axis-- > 0;) {
    if (std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(axis)) != reduced.end()) continue;
    strides[axis] = next;
    next *= sizes[axis];
  }
  std::vector<size_t> rows;
  Aligned at(sizes, std::vector<Dims>{strides});
  for (int64_t i = 0, count = numel(sizes); i < count; ++i) {
    rows.push_back(at.places()[0]);
    at.next();
  }
  return rows;
}

}  // namespace fuser::fuzz
