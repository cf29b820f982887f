#pragma once
// Values as ATen has them, for the files of this folder alone.

#include <ATen/ATen.h>

#include "oracle/reference/reference.h"

namespace reference {

at::ScalarType scalarType(fuser::DataType dtype);
fuser::DataType dataType(at::ScalarType type);  // a CheckError for a dtype that fuser does not have
at::IntArrayRef list(std::span<const int64_t> numbers);

// What a line may use beside the operands.
struct Attributes {
  const std::vector<int64_t>& dims;
  std::span<const int64_t> numbers;  // sizes, counts, bounds
  at::ScalarType dtype;              // of the result
  int64_t correction = 1;
  size_t result = 0;
};
at::Tensor apply(fuser::OpKind op, const std::vector<at::Tensor>& x, const Attributes& a);

at::Tensor view(const fuser::TensorRef& ref);  // of the caller's memory
Value owned(at::Tensor tensor);

}  // namespace reference
