#pragma once
// Arrays of any dtype for kernel tests: filled with ordinary and special values, viewed as tensors, compared by bits.

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "fuser/types/tensor_ref.h"

namespace fuser {

struct alignas(16) ArrayUnit {
  unsigned char bytes[16];
};

class Array {
 public:
  Array(DataType dtype, size_t elements);

  DataType dtype() const { return dtype_; }
  size_t elements() const { return elements_; }
  unsigned char* data() { return reinterpret_cast<unsigned char*>(units_.data()); }
  const unsigned char* data() const { return reinterpret_cast<const unsigned char*>(units_.data()); }
  TensorRef tensor();  // rank 1

  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data()), elements_};
  }

 private:
  DataType dtype_;
  size_t elements_;
  std::vector<ArrayUnit> units_;
};

// Special values of the dtype first, all pairs of them among any two seeds, then small numbers and random bit patterns.
Array mixedArray(DataType dtype, size_t elements, uint64_t seed);

// Converted as kernels convert.
Array convertedArray(const Array& from, DataType to);

enum class Zeros { Distinct, Equal };

// Empty when all elements have equal bits, a NaN standing for every NaN; else the first difference and how many there
// are.
std::string differenceOf(const Array& expected, const Array& actual, Zeros zeros = Zeros::Distinct);

}  // namespace fuser
