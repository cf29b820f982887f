#pragma once
// The table from an op's name to a call of LibTorch.

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace second_reader {

// What a line says, its names resolved.
struct Call {
  std::vector<at::Tensor> x;  // scalars are wrapped numbers beside tensors, tensors of no axes among themselves
  std::function<bool(const char*)> has;
  std::function<std::string(const char*)> word;              // dtype = f32
  std::function<int64_t(const char*)> number;                // dim = -1
  std::function<std::vector<int64_t>(const char*)> numbers;  // shape = [i0, -1]
  std::function<at::Scalar(const char*)> scalar;             // min = %s

  std::function<bool(const char*)> isScalar;
  std::function<at::Tensor(const char*)> operand;  // min = %t; a scalar is a wrapped number

  int64_t numberOr(const char* name, int64_t absent) const { return has(name) ? number(name) : absent; }
  at::Scalar scalarOr(const char* name, double absent) const { return has(name) ? scalar(name) : at::Scalar(absent); }
};

using Evaluation = std::vector<at::Tensor> (*)(const Call&);
const std::map<std::string, Evaluation>& calls();
// Parts of them.
std::map<std::string, Evaluation> randomNumbers();
std::map<std::string, Evaluation> productsAndShapes();
std::map<std::string, Evaluation> namesOfModels();
std::map<std::string, Evaluation> namesOfComplexValues();

at::ScalarType scalarType(const std::string& dtype);
std::string dtypeName(at::ScalarType type);

}  // namespace second_reader
