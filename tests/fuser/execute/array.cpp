#include "tests/fuser/execute/array.h"

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "fuser/ops/op_eval.h"

namespace fuser {
namespace {

std::vector<double> specials(DataType dtype) {
  if (dtype == DataType::Bool) return {0, 1};
  if (category(dtype) == Category::Int) return {0, 1, -1, 2, -2, 7, -7, 100, -100};
  const double infinity = std::numeric_limits<double>::infinity();
  return {0.0, -0.0, 1, -1, 0.5, -0.5, 2.5, -2.5, 3, -3, 88.8, -88.8, 1e-30, -1e-30, 1e30, -1e30, infinity, -infinity,
          std::nan(""), 65504, 65520, 1e-7, -1e-40, 1e-310, 3.4e38, 1e300};
}

template <class T>
T element(size_t index, uint64_t random, const std::vector<double>& special, std::mt19937_64& generator) {
  if (index < special.size() * special.size()) return convert<T>(special[random % special.size()]);
  if constexpr (std::is_same_v<T, bool>) {
    return random & 1;
  } else {
    if (random % 3 == 0) return convert<T>(static_cast<double>(generator() >> 11) * 0x1p-53 * 20.0 - 10.0);
    if (random % 3 == 1) return convert<T>(static_cast<double>(generator() % 2001) - 1000.0);
    T value;
    const uint64_t bits = generator();
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
}

template <class T>
bool sameBits(T a, T b, Zeros zeros) {
  if (std::memcmp(&a, &b, sizeof(T)) == 0) return true;
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    const auto x = widen(a);
    const auto y = widen(b);
    return (x != x && y != y) || (zeros == Zeros::Equal && x == 0 && y == 0);
  }
}

}  // namespace

Array::Array(DataType dtype, size_t elements)
    : dtype_(dtype), elements_(elements), units_(elements * dtypeSize(dtype) / sizeof(ArrayUnit) + 1) {
  std::memset(units_.data(), 0, units_.size() * sizeof(ArrayUnit));
}

TensorRef Array::tensor() {
  return {data(), dtype_, {static_cast<int64_t>(elements_)}, {1}, {}};
}

Array mixedArray(DataType dtype, size_t elements, uint64_t seed) {
  Array array(dtype, elements);
  const std::vector<double> special = specials(dtype);
  std::mt19937_64 generator(seed);
  dispatch(dtype, [&]<class T>() {
    for (size_t i = 0; i < elements; ++i) {
      // With seeds 0 and 1 the first elements of two arrays run over all pairs.
      const uint64_t random = i < special.size() * special.size()
                                  ? (seed == 0 ? i % special.size() : seed == 1 ? i / special.size() : generator())
                                  : generator();
      array.as<T>()[i] = element<T>(i, random, special, generator);
    }
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      for (size_t i = 0; i < 4 && elements > 200; ++i) {  // minimum / -1 and its like
        array.as<T>()[150 + i] = i & (seed == 0 ? 1 : 2) ? std::numeric_limits<T>::min() : static_cast<T>(-1);
      }
    }
  });
  return array;
}

Array convertedArray(const Array& from, DataType to) {
  Array result(to, from.elements());
  convertFunction(from.dtype(), to)(from.data(), result.data(), from.elements());
  return result;
}

std::string differenceOf(const Array& expected, const Array& actual, Zeros zeros) {
  FUSER_CHECK(expected.dtype() == actual.dtype() && expected.elements() == actual.elements());
  std::string first;
  size_t count = 0;
  dispatch(expected.dtype(), [&]<class T>() {
    const T* a = reinterpret_cast<const T*>(expected.data());
    const T* b = reinterpret_cast<const T*>(actual.data());
    for (size_t i = 0; i < expected.elements(); ++i) {
      if (sameBits(a[i], b[i], zeros)) continue;
      if (count++ == 0) first = concat("element ", i, ": expected ", widen(a[i]), ", got ", widen(b[i]));
    }
  });
  return count == 0 ? "" : concat(first, " (", count, " of ", expected.elements(), " differ)");
}

}  // namespace fuser
