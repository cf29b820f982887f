#pragma once
// Values as ATen has them, for the files of this folder alone.

#include <ATen/ATen.h>

#include <functional>
#include <optional>
#include <span>
#include <vector>

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
  bool isFirstOfTies = false;
};
at::Tensor apply(fuser::OpKind op, const std::vector<at::Tensor>& x, const Attributes& a);

// `numbers`: those of its sizes, counts and bounds. `which`: the index of the result.
Attributes attributesOf(const fuser::Expr& expr, std::span<const int64_t> numbers, size_t which);
std::vector<int64_t> evaluatedNumbers(const fuser::Expr& expr, const std::function<int64_t(fuser::IntExpr)>& valueOf);

at::Tensor view(const fuser::TensorRef& ref);  // of the caller's memory
Value owned(at::Tensor tensor);
fuser::ScalarValue scalarValue(const at::Tensor& tensor);
// A scalar as an op's operand: beside tensors a number, as Python's take part in promotion.
at::Tensor scalarOperand(const fuser::Expr& expr, size_t operand, const fuser::ScalarValue& value);

// What the inputs' sizes say of the extent symbols, by index.
std::vector<std::optional<int64_t>> boundExtents(const fuser::Fusion& fusion, std::span<const Value> inputs);
// The value of a symbol: of those, or of the scalar that it stands for. A CheckError for one that no input binds.
int64_t extentValue(const fuser::Fusion& fusion, const std::vector<std::optional<int64_t>>& extents,
                    fuser::IntExpr symbol, const std::function<fuser::ScalarValue(const fuser::Val*)>& scalar);

}  // namespace reference
