// Exact comparison of what runs produced.

#include "fuzz/judge/same_bits.h"

#include <cstring>

namespace fuser::fuzz {
namespace {

bool isNan(DataType dtype, const std::byte* element) {
  if (!isFloating(dtype)) return false;
  const double number = elementAt(dtype, element).as<double>();
  return number != number;
}

bool sameElements(const TensorRef& a, const TensorRef& b, bool nansAreEqual) {
  const size_t bytes = dtypeSize(a.dtype);
  const int64_t count = numel(a.sizes);
  Dims index(a.sizes.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t placeA = 0, placeB = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) {
      placeA += index[axis] * a.strides[axis];
      placeB += index[axis] * b.strides[axis];
    }
    const auto* first = static_cast<const std::byte*>(a.data) + placeA * static_cast<int64_t>(bytes);
    const auto* second = static_cast<const std::byte*>(b.data) + placeB * static_cast<int64_t>(bytes);
    const bool same =
        std::memcmp(first, second, bytes) == 0 || (nansAreEqual && isNan(a.dtype, first) && isNan(b.dtype, second));
    if (!same) return false;
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < a.sizes[axis]) break;
      index[axis] = 0;
    }
  }
  return true;
}

bool isSame(const HostValue& a, const HostValue& b, bool nansAreEqual) {
  if (a.index() != b.index()) return false;
  if (const ScalarValue* scalar = std::get_if<ScalarValue>(&a)) return *scalar == std::get<ScalarValue>(b);
  const TensorRef& first = std::get<TensorRef>(a);
  const TensorRef& second = std::get<TensorRef>(b);
  if (first.dtype != second.dtype || first.sizes != second.sizes) return false;
  return sameElements(first, second, nansAreEqual);
}

}  // namespace

bool sameBits(const HostValue& a, const HostValue& b) { return isSame(a, b, false); }

bool sameNumbers(const HostValue& a, const HostValue& b) { return isSame(a, b, true); }

size_t firstOther(const RunRecord& a, const RunRecord& b) {
  size_t output = 0;
  while (output < a.outputs.size() && sameNumbers(a.outputs[output], b.outputs.at(output))) ++output;
  return output;
}

uint64_t memoryHash(const TensorRef& tensor) {
  // FNV-1a (Fowler, Noll and Vo), eight bytes at a time: fast, and any changed word shows.
  uint64_t hash = 0xcbf29ce484222325ull;
  const auto* bytes = static_cast<const unsigned char*>(tensor.data);
  const size_t size = static_cast<size_t>(extentInMemory(tensor.sizes, tensor.strides)) * dtypeSize(tensor.dtype);
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + i, 8);
    hash = (hash ^ word) * 0x100000001b3ull;
    hash ^= hash >> 29;
  }
  for (; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  return hash;
}

}  // namespace fuser::fuzz
