#pragma once
// LibTorch's own answer for each op, written by hand, one line an op (aten.cpp): the only file that includes ATen.
// It knows an op by its name alone: a wrong row of the op table cannot agree with itself here.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/types/scalar_value.h"
#include "fuser/types/tensor_ref.h"

namespace reference {

// A value with the memory that it lies in. Tensors that an op makes are dense and row-major; moves are views.
struct Value {
  std::variant<fuser::TensorRef, fuser::ScalarValue> value;
  std::shared_ptr<void> memory;  // null for inputs, which the caller keeps, and for scalars
};

// LibTorch runs on the calling thread only. Before the first evaluation of a process; again does no harm.
void useOneThread();

// LibTorch's version: "2.11.0".
std::string libtorchVersion();

// One op as PyTorch evaluates it in eager mode on the CPU. A CheckError where LibTorch gives a tensor another dtype
// than the fusion does. shape: the sizes of the result of expand and full. result: which of the op's results.
Value evaluate(const fuser::Expr& expr, std::span<const Value> operands, const fuser::Dims& shape, size_t result = 0);

// The whole fusion, op by op: a value by id for each input, literal and result; null where nothing defines the id.
std::vector<std::optional<Value>> evaluate(const fuser::Fusion& fusion, std::span<const Value> inputs);

// values[i] = op(values[i]) in f64, for the unary functions.
void evaluateInPlace(fuser::OpKind op, std::span<double> values);

// op of arrays of any dtype and f64 scalars, with LibTorch's promotion. Dense f64 copies of the results, and the dtype
// that LibTorch gives them. For pinning how a scalar operand takes part.
struct WithScalar {
  fuser::DataType dtype;
  std::vector<double> values;
};
WithScalar evaluateWithScalar(fuser::OpKind op, std::span<const std::variant<fuser::TensorRef, double>> operands);

}  // namespace reference
