#pragma once
// The reference: LibTorch's result for each op, written by hand, one line per op (aten.cpp). It knows ops only by name,
// so that a wrong row of the op table cannot agree with itself.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/types/scalar_value.h"
#include "fuser/types/tensor_ref.h"

namespace reference {

// A value and its memory. Results are dense and row-major, except that view ops return views.
struct Value {
  std::variant<fuser::TensorRef, fuser::ScalarValue> value;
  std::shared_ptr<void> memory;  // null for inputs, which the caller owns, and for scalars
};

// Makes LibTorch run on the calling thread only. Call it before the first evaluation in a process; idempotent.
void useOneThread();

// LibTorch's version: "2.11.0".
std::string libtorchVersion();

// Evaluates one op as PyTorch's eager mode does on the CPU. A CheckError if LibTorch's result dtype differs from the
// fusion's; a c10::Error where LibTorch refuses it, and where a division of integers overflows, at which LibTorch's
// process ends. `numbers`: those of its sizes, counts and bounds. `result`: the index of the op's result.
Value evaluate(const fuser::Expr& expr, std::span<const Value> operands, std::span<const int64_t> numbers,
               size_t result = 0);

// Evaluates the whole fusion op by op, or the wanted ops, among which are all that make what one of them reads. Returns
// the values of inputs, literals and results by id; nullopt for other ids.
using WantedOps = std::function<bool(const fuser::Expr*)>;
std::vector<std::optional<Value>> evaluate(const fuser::Fusion& fusion, std::span<const Value> inputs,
                                           const WantedOps& wanted = nullptr);

// Runs the statements of a fusion in order on real memory, updates included: views are ATen's views, and an update is
// copy_. It says which elements memory holds, and computes none: an op that is no move gives numbers that stand for its
// operands (a hash of all their elements), so that two runs agree where, and only where, each op reads the same.
// `scalars` gives those that the fusion computes, since sizes depend on them. The caller's memory is not changed.
using ScalarOf = std::function<fuser::ScalarValue(const fuser::Val*)>;
struct MemoryAfter {
  std::vector<Value> outputs;
  std::vector<Value> inputs;
};
MemoryAfter runStatements(const fuser::Fusion& fusion, std::span<const Value> inputs, const ScalarOf& scalars);

// values[i] = op(values[i]) in f64, for unary functions.
void evaluateInPlace(fuser::OpKind op, std::span<double> values);

// Applies an op to arrays of any dtype and f64 scalars, with LibTorch's promotion. Returns the results as dense f64
// copies and their dtype in LibTorch. Tests use it to pin down how scalar operands are promoted and rounded.
struct WithScalar {
  fuser::DataType dtype;
  std::vector<double> values;
};
WithScalar evaluateWithScalar(fuser::OpKind op, std::span<const std::variant<fuser::TensorRef, double>> operands);

}  // namespace reference
