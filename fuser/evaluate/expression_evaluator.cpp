// ExpressionEvaluator: binds inputs, evaluates extents and host scalars.

#include "fuser/evaluate/expression_evaluator.h"

#include <algorithm>

#include "fuser/evaluate/run_scalars.h"
#include "fuser/ops/op_eval.h"

namespace fuser {

std::optional<int64_t> checkedNumel(const Dims& sizes, int64_t most) {
  bool empty = false;
  for (int64_t size : sizes) {
    if (size < 0) return std::nullopt;
    empty |= size == 0;
  }
  if (empty) return 0;
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size > most / product) return std::nullopt;
    product *= size;
  }
  return product;
}

std::string extentToString(const Fusion& fusion, IntExpr extent) {
  return toString(extent, [&](IntExpr symbol) {
    const Val* scalar = fusion.scalarOf(symbol);
    return scalar ? "%" + scalar->name() : fusion.ints().symbolOf(symbol).name;
  });
}

namespace {

// Reads the single element of a host tensor.
ScalarValue readElement(const Val* input, const TensorRef& tensor) {
  FUSER_USER_CHECK(tensor.device.kind == DeviceKind::Cpu, "input %", input->name(),
                   " is declared {device = cpu}, got a tensor on the device");
  FUSER_USER_CHECK(tensor.data, "%", input->name(), " has no memory");
  return elementAt(tensor.dtype, tensor.data);
}

// Whether a fusion computes the tensor for reductions alone.
bool areTerms(const TensorView* tensor) {
  const std::vector<Expr*>& uses = tensor->uses();
  return tensor->definition() && isPointwise(tensor->definition()->op()) && !tensor->isFusionOutput() &&
         !uses.empty() &&
         std::all_of(uses.begin(), uses.end(), [](const Expr* use) { return use->family() == Family::Reduction; });
}

}  // namespace

ExpressionEvaluator::ExpressionEvaluator(const Fusion& fusion, RunScalars* run) : fusion_(fusion), run_(run) {}

void ExpressionEvaluator::bindInputs(std::span<const InputValue> values) {
  const std::vector<Val*>& inputs = fusion_.inputs();
  FUSER_USER_CHECK(values.size() == inputs.size(), "fusion '", fusion_.name(), "' takes ", inputs.size(),
                   " inputs, got ", values.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorRef* tensor = std::get_if<TensorRef>(&values[i]);
    if (inputs[i]->isScalar()) {
      FUSER_USER_CHECK(!tensor, "input %", inputs[i]->name(), " is a scalar, got a tensor");
      bindScalar(inputs[i], std::get<ScalarValue>(values[i]));
      continue;
    }
    FUSER_USER_CHECK(tensor, "input %", inputs[i]->name(), " is a tensor, got a scalar");
    FUSER_USER_CHECK(tensor->dtype == inputs[i]->dtype(), "input %", inputs[i]->name(), " is ", inputs[i]->dtype(),
                     ", got ", tensor->dtype);
    bindSizes(inputs[i]->as<TensorView>(), tensor->sizes);
    if (inputs[i]->as<TensorView>()->isCpuScalar()) {
      bindElement(inputs[i]->as<TensorView>(), readElement(inputs[i], *tensor));
    }
  }
  checkInputSizes();
}

void ExpressionEvaluator::bindSizes(const TensorView* input, const Dims& sizes) {
  const std::vector<IterDomain*> axes = input->axes();
  FUSER_USER_CHECK(sizes.size() == axes.size(), "input %", input->name(), " has rank ", axes.size(), ", got sizes ",
                   sizes);
  FUSER_USER_CHECK(checkedNumel(sizes), "input %", input->name(), ": sizes ", sizes, " are negative or give more than ",
                   kMaxElements, " elements");
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const IntExpr size = axes[axis]->size();
    if (size->isSymbol() && !fusion_.scalarOf(size)) bindSymbol(size, {sizes[axis], input, axis});
  }
  sizeSlot(input) = sizes;
}

void ExpressionEvaluator::bindScalar(const Val* input, ScalarValue value) {
  FUSER_USER_CHECK(value.dtype() == input->dtype(), "input %", input->name(), " is ", input->dtype(), ", got ",
                   value.dtype(), " ", value);
  slot(input) = value;
}

void ExpressionEvaluator::bindElement(const TensorView* input, ScalarValue value) {
  FUSER_CHECK(input->isCpuScalar() && input->isFusionInput(), "%", input->name(), " is not an input on the host");
  slot(input) = value;
}

void ExpressionEvaluator::bindSymbol(IntExpr symbol, Binding binding) {
  std::optional<Binding>& slot = symbolSlot(symbol);
  FUSER_USER_CHECK(!slot || slot->value == binding.value, "axis ", binding.axis, " of %", binding.tensor->name(),
                   " has size ", binding.value, ", but ", describe(symbol), " is ", slot->value, ", the size of axis ",
                   slot->axis, " of %", slot->tensor->name());
  if (!slot) slot = binding;
}

void ExpressionEvaluator::checkInputSizes() {
  for (const Val* val : fusion_.inputs()) {
    if (val->isScalar()) continue;
    const TensorView* input = val->as<TensorView>();
    const std::vector<IterDomain*> axes = input->axes();
    const Dims& sizes = *sizeSlot(input);
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const IntExpr size = axes[axis]->size();
      const int64_t expected = evaluate(size);
      FUSER_USER_CHECK(sizes[axis] == expected, "axis ", axis, " of %", input->name(), " has size ", sizes[axis],
                       ", must be ", size->isConstant() ? "" : describe(size) + " = ", expected);
    }
  }
}

int64_t ExpressionEvaluator::evaluate(IntExpr extent) {
  return fuser::evaluate(extent, [&](IntExpr symbol) -> int64_t {
    if (const Val* scalar = fusion_.scalarOf(symbol)) return evaluate(scalar).as<int64_t>();
    const std::optional<Binding>& binding = symbolSlot(symbol);
    FUSER_USER_CHECK(binding, "no input binds the extent ", describe(symbol));
    return binding->value;
  });
}

bool ExpressionEvaluator::isKnown(const Val* scalar) {
  std::optional<ScalarValue>& value = slot(scalar);
  if (!value && run_ && scalar->definition()) value = run_->find(scalar);
  return value.has_value();
}

// The scalars that must be evaluated before the expression.
std::vector<const Val*> ExpressionEvaluator::missingOperands(const Expr* expr) {
  std::vector<const Val*> missing;
  const auto need = [&](const Val* scalar) {
    if (!scalar->as<Scalar>()->isConstant() && !isKnown(scalar)) missing.push_back(scalar);
  };
  for (const Val* operand : expr->inputs()) {
    if (operand->isScalar()) need(operand);
  }
  if (expr->op() == OpKind::Size) {
    const IterDomain* axis = expr->input(0)->as<TensorView>()->axes().at(static_cast<size_t>(expr->attributes().dim()));
    forEachSymbol(axis->size(), [&](IntExpr symbol) {
      if (const Val* scalar = fusion_.scalarOf(symbol)) need(scalar);
    });
  }
  return missing;
}

ScalarValue ExpressionEvaluator::compute(const Expr* expr) {
  if (expr->op() == OpKind::Size) {
    const IterDomain* axis = expr->input(0)->as<TensorView>()->axes().at(static_cast<size_t>(expr->attributes().dim()));
    return evaluate(axis->size());
  }
  if (expr->op() == OpKind::Item) {
    const std::optional<ScalarValue>& element = slot(expr->input(0));
    FUSER_CHECK(element, "item reads %", expr->input(0)->name(), ", whose element nobody bound");
    return *element;
  }
  std::vector<ScalarValue> operands;
  for (const Val* operand : expr->inputs()) operands.push_back(evaluate(operand));
  if (expr->op() == OpKind::Cast) return operands[0].castTo(expr->output()->dtype());
  FUSER_CHECK(isPointwise(expr->op()), "no host evaluation of ", opName(expr->op()));
  return evaluateScalar(expr->op(), operands).castTo(expr->output()->dtype());
}

// Uses an explicit stack: a file's chain of scalars may be deeper than the call stack allows.
ScalarValue ExpressionEvaluator::evaluate(const Val* scalar) {
  if (const std::optional<ScalarValue>& constant = scalar->as<Scalar>()->constant()) return *constant;
  std::vector<const Val*> stack{scalar};
  while (!stack.empty()) {
    const Val* top = stack.back();
    if (isKnown(top)) {
      stack.pop_back();
      continue;
    }
    FUSER_CHECK(top->definition(), "scalar %", top->name(), " has neither a value nor a definition");
    const std::vector<const Val*> missing = missingOperands(top->definition());
    if (missing.empty()) {
      const ScalarValue value = compute(top->definition());
      slot(top) = value;
      evaluated_.push_back(top);
      if (run_) run_->keep(top, value);
    } else {
      stack.insert(stack.end(), missing.begin(), missing.end());
    }
  }
  return *slot(scalar);
}

Dims ExpressionEvaluator::sizes(const TensorView* tensor) {
  if (const std::optional<Dims>& known = sizeSlot(tensor)) return *known;
  Dims sizes;
  for (const IterDomain* axis : tensor->axes()) {
    sizes.push_back(evaluate(axis->size()));
    FUSER_USER_CHECK(sizes.back() >= 0, "axis ", sizes.size() - 1, " of %", tensor->name(),
                     " would have the negative size ", describe(axis->size()), " = ", sizes.back());
  }
  const int64_t most = longSums_ && areTerms(tensor) ? kMaxTerms : kMaxElements;
  FUSER_USER_CHECK(checkedNumel(sizes, most), "%", tensor->name(), " of sizes ", sizes, " has more than ", most,
                   " elements");
  return *(sizeSlot(tensor) = sizes);
}

ExpressionEvaluator ExpressionEvaluator::withInputsAlone() const {
  ExpressionEvaluator copy(fusion_);
  copy.symbols_ = symbols_;
  copy.values_.resize(values_.size());
  copy.sizes_.resize(sizes_.size());
  for (const Val* input : fusion_.inputs()) {
    if (input->id() < values_.size()) copy.values_[input->id()] = values_[input->id()];
    if (input->id() < sizes_.size()) copy.sizes_[input->id()] = sizes_[input->id()];
  }
  return copy;
}

std::string ExpressionEvaluator::describe(IntExpr extent) const { return extentToString(fusion_, extent); }

}  // namespace fuser
