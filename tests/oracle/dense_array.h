#pragma once
// DenseArray: a small owned row-major tensor for tests; rank 0 also stands for scalars.

#include <cstring>
#include <memory>
#include <vector>

#include "fuser/ops/op_eval.h"
#include "fuser/record/run_record.h"
#include "oracle/slice.h"

namespace oracle_test {

struct DenseArray {
  fuser::DataType dtype = fuser::DataType::Double;
  fuser::Dims sizes;
  std::shared_ptr<std::byte[]> memory;

  DenseArray() = default;
  DenseArray(fuser::DataType type, const fuser::Dims& shape)
      : dtype(type), sizes(shape), memory(std::make_shared<std::byte[]>(count() * fuser::dtypeSize(type) + 1)) {}

  size_t count() const { return static_cast<size_t>(fuser::numel(sizes)); }
  std::byte* data() const { return memory.get(); }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(memory.get());
  }
  fuser::TensorRef ref() const { return {memory.get(), dtype, sizes, fuser::contiguousStrides(sizes), {}}; }

  fuser::ScalarValue scalar() const {
    if (dtype == fuser::DataType::Double) return *as<double>();
    if (dtype == fuser::DataType::Bool) return *as<bool>();
    FUSER_CHECK(dtype == fuser::DataType::Int64, "no scalar of ", dtype);
    return static_cast<int64_t>(*as<fuser::int64>());
  }

  DenseArray copy() const {
    DenseArray result(dtype, sizes);
    std::memcpy(result.data(), data(), count() * fuser::dtypeSize(dtype));
    return result;
  }
  DenseArray bitcast(fuser::DataType to) const {
    DenseArray result(to, sizes);
    fuser::bitcastFunction(dtype, to)(data(), nullptr, nullptr, result.data(), count());
    return result;
  }
  DenseArray cast(fuser::DataType to) const {
    if (to == dtype) return *this;
    DenseArray result(to, sizes);
    fuser::convertFunction(dtype, to)(data(), result.data(), count());
    return result;
  }
  DenseArray reshaped(const fuser::Dims& shape) const {
    DenseArray result = *this;
    result.sizes = shape;
    return result;
  }
  // An array of this shape: element [index] is this array's element at the offset sum(index * strides).
  DenseArray gathered(const fuser::Dims& shape, const fuser::Dims& strides) const {
    DenseArray result(dtype, shape);
    const size_t size = fuser::dtypeSize(dtype);
    std::byte* to = result.data();
    oracle::forEachOffset<1>(shape, {strides}, [&](const std::array<int64_t, 1>& at) {
      std::memcpy(to, data() + static_cast<size_t>(at[0]) * size, size);
      to += size;
    });
    return result;
  }
  // An array of this shape: element [index] is the one that pick(index) points to, in any array of this dtype.
  template <class Pick>
  DenseArray collected(const fuser::Dims& shape, const Pick& pick) const {
    DenseArray result(dtype, shape);
    const size_t size = fuser::dtypeSize(dtype);
    fuser::Dims index(shape.size(), 0);
    for (size_t place = 0; place < result.count(); ++place) {
      size_t rest = place;
      for (size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = static_cast<int64_t>(rest) % shape[axis];
        rest /= static_cast<size_t>(shape[axis]);
      }
      std::memcpy(result.data() + place * size, pick(index), size);
    }
    return result;
  }
  const std::byte* at(const fuser::Dims& index) const {
    int64_t place = 0;
    for (size_t axis = 0; axis < sizes.size(); ++axis) place = place * sizes[axis] + index[axis];
    return data() + static_cast<size_t>(place) * fuser::dtypeSize(dtype);
  }
  DenseArray expanded(const fuser::Dims& shape) const {
    if (shape == sizes) return *this;
    fuser::Dims strides = fuser::contiguousStrides(sizes);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] != sizes[axis]) strides[axis] = 0;
    }
    return gathered(shape, strides);
  }
  DenseArray permuted(const std::vector<int64_t>& dims) const {
    const fuser::Dims rowMajor = fuser::contiguousStrides(sizes);
    fuser::Dims shape, strides;
    for (int64_t dim : dims) {
      shape.push_back(sizes[static_cast<size_t>(dim)]);
      strides.push_back(rowMajor[static_cast<size_t>(dim)]);
    }
    return gathered(shape, strides);
  }
  // Moves the axes `dims` to the end and joins them into one axis with all terms; keeps the order of the others.
  DenseArray reducedLast(const std::vector<int64_t>& dims) const {
    std::vector<int64_t> order;
    fuser::Dims kept;
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(axis)) != dims.end()) continue;
      order.push_back(static_cast<int64_t>(axis));
      kept.push_back(sizes[axis]);
    }
    int64_t terms = 1;
    for (int64_t dim : dims) {
      order.push_back(dim);
      terms *= sizes[static_cast<size_t>(dim)];
    }
    DenseArray result = permuted(order);
    if (kept.size() == fuser::kMaxRank) return result;  // nothing is reduced
    kept.push_back(terms);
    return result.reshaped(kept);
  }
};

inline DenseArray toDense(const fuser::HostValue& value) {
  if (const auto* ref = std::get_if<fuser::TensorRef>(&value)) {
    DenseArray view;
    view.dtype = ref->dtype;
    view.memory = std::shared_ptr<std::byte[]>(std::shared_ptr<void>(), static_cast<std::byte*>(ref->data));
    return view.gathered(ref->sizes, ref->strides);
  }
  const auto& scalar = std::get<fuser::ScalarValue>(value);
  DenseArray result(scalar.dtype(), {});
  std::visit([&](auto number) { std::memcpy(result.data(), &number, sizeof(number)); }, scalar.variant());
  return result;
}

// The sizes to which an op broadcasts its operands: all have one rank, or none.
inline fuser::Dims commonSizes(const std::vector<DenseArray>& operands) {
  fuser::Dims sizes;
  for (const DenseArray& operand : operands) {
    if (operand.sizes.size() > sizes.size()) sizes = fuser::Dims(operand.sizes.size(), 1);
  }
  for (const DenseArray& operand : operands) {
    for (size_t axis = 0; axis < operand.sizes.size(); ++axis) {
      if (operand.sizes[axis] != 1) sizes[axis] = operand.sizes[axis];
    }
  }
  return sizes;
}

}  // namespace oracle_test
