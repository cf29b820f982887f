#include "oracle/reference/autograd.h"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "oracle/reference/aten_values.h"

namespace reference {
namespace {

using fuser::Expr;
using fuser::Fusion;
using fuser::ScalarValue;
using fuser::TensorRef;
using fuser::TensorView;
using fuser::Val;

// The values of a fusion as autograd records them: tensors, of which those of floats may have a gradient, and numbers.
class Recording {
 public:
  Recording(const Fusion& fusion, std::span<const Value> inputs)
      : fusion_(fusion), extents_(boundExtents(fusion, inputs)), values_(fusion.valCount()) {
    for (size_t i = 0; i < inputs.size(); ++i) bind(fusion.inputs()[i], inputs[i]);
    for (const Expr* expr : fusion.exprs()) run(expr);
  }

  const at::Tensor& tensor(const Val* val) const { return std::get<at::Tensor>(values_[val->id()]); }

 private:
  void bind(const Val* input, const Value& value) {
    if (input->isScalar()) {
      values_[input->id()] = std::get<ScalarValue>(value.value);
      return;
    }
    at::Tensor leaf = view(std::get<TensorRef>(value.value)).clone();
    const bool isHost = input->as<TensorView>()->isCpuScalar();
    if (at::isFloatingType(leaf.scalar_type()) && !isHost) leaf.requires_grad_();
    values_[input->id()] = leaf;
  }

  ScalarValue scalar(const Val* val) const {
    const auto* scalar = val->as<fuser::Scalar>();
    return scalar->isConstant() ? *scalar->constant() : std::get<ScalarValue>(values_[val->id()]);
  }

  void run(const Expr* expr) {
    std::vector<at::Tensor> x;
    for (size_t i = 0; i < expr->inputs().size(); ++i) {
      const Val* operand = expr->input(i);
      x.push_back(operand->isScalar() ? scalarOperand(*expr, i, scalar(operand)) : tensor(operand));
    }
    const std::vector<int64_t> numbers = evaluatedNumbers(*expr, [&](fuser::IntExpr symbol) {
      return extentValue(fusion_, extents_, symbol, [&](const Val* val) { return scalar(val); });
    });
    for (size_t i = 0; i < expr->outputs().size(); ++i) {
      const Val* result = expr->output(i);
      const at::Tensor made = apply(expr->op(), x, attributesOf(*expr, numbers, i));
      if (result->isScalar()) {
        values_[result->id()] = scalarValue(made.to(scalarType(result->dtype())));
      } else {
        values_[result->id()] = made;
      }
    }
  }

  const Fusion& fusion_;
  std::vector<std::optional<int64_t>> extents_;
  std::vector<std::variant<std::monostate, at::Tensor, ScalarValue>> values_;  // by id
};

}  // namespace

std::vector<std::optional<Value>> gradients(const Fusion& fusion, std::span<const Value> inputs,
                                            std::span<const Value> cotangents) {
  const Recording recording(fusion, inputs);
  std::vector<const Val*> seen;
  std::vector<at::Tensor> outputs, given, leaves;
  for (const Val* output : fusion.outputs()) {
    if (output->isScalar() || std::find(seen.begin(), seen.end(), output) != seen.end()) continue;
    seen.push_back(output);
    if (recording.tensor(output).requires_grad()) outputs.push_back(recording.tensor(output));
  }
  FUSER_CHECK(outputs.size() == cotangents.size(), "autograd has a gradient for ", outputs.size(), " outputs, not ",
              cotangents.size());
  for (const Value& cotangent : cotangents) given.push_back(view(std::get<TensorRef>(cotangent.value)));
  for (const Val* input : fusion.inputs()) {
    if (input->isTensor() && recording.tensor(input).requires_grad()) leaves.push_back(recording.tensor(input));
  }
  std::vector<at::Tensor> found =
      torch::autograd::grad(outputs, leaves, given, std::nullopt, false, /*allow_unused=*/true);
  std::vector<std::optional<Value>> results;
  size_t next = 0;
  for (const Val* input : fusion.inputs()) {
    const bool isLeaf = input->isTensor() && recording.tensor(input).requires_grad();
    const at::Tensor gradient = isLeaf ? found[next++] : at::Tensor();
    results.push_back(gradient.defined() ? std::optional<Value>(owned(gradient)) : std::nullopt);
  }
  return results;
}

}  // namespace reference
