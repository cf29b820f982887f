#pragma once
// Inputs of a case for the second reader.

#include <algorithm>
#include <string>
#include <vector>

#include "fuser/types/dtype.h"
#include "fuser/types/tensor_ref.h"
#include "tests/oracle/second_reader/second_reader.h"

namespace second_reader {

// Memory that the caller keeps.
inline Array arrayAt(const fuser::TensorRef& ref) {
  Array array;
  array.dtype = fuser::dtypeName(ref.dtype);
  array.sizes.assign(ref.sizes.begin(), ref.sizes.end());
  array.strides.assign(ref.strides.begin(), ref.strides.end());
  array.data = ref.data;
  return array;
}

// "%x: f32[i0, i1], %i: i64[]" -> "%x: f32[i0, i1]", "%i: i64[]".
inline std::vector<std::string> parametersIn(const std::string& inputs) {
  std::vector<std::string> parameters;
  for (size_t at = 0; at < inputs.size();) {
    const size_t end = std::min(inputs.find("], ", at), inputs.size() - 1) + 1;
    parameters.push_back(inputs.substr(at, end - at));
    at = end + 2;
  }
  return parameters;
}

}  // namespace second_reader
