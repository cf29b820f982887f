#include "fuzz/edges/free_sizes.h"

#include <algorithm>

#include "fuser/case/check_input.h"
#include "fuser/case/functional_updates.h"
#include "fuser/evaluate/check_shapes.h"
#include "fuser/ir/updates.h"
#include "fuser/support/set_up_error.h"

namespace fuser::fuzz {
namespace {

const TensorInput* tensorIn(const RunInput& input) { return std::get_if<TensorInput>(&input.value); }

// Binds a run's sizes without its data.
void bind(const Fusion& fusion, const Run& run, ExpressionEvaluator& evaluator) {
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    const Val* input = fusion.inputs().at(i);
    const TensorInput* tensor = tensorIn(run.inputs[i]);
    if (!tensor) {
      evaluator.bindScalar(input, std::get<ScalarValue>(run.inputs[i].value));
      continue;
    }
    const auto* view = input->as<TensorView>();
    evaluator.bindSizes(view, tensor->sizes);
    if (view->isCpuScalar() && !tensor->recipe.values.empty()) {
      evaluator.bindElement(view, tensor->recipe.values.front());
    }
  }
  evaluator.checkInputSizes();
}

int64_t elementsOf(const Fusion& fusion, ExpressionEvaluator& evaluator) {
  int64_t elements = 0;
  for (const std::unique_ptr<Val>& val : fusion.allVals()) {
    if (val->isTensor()) elements += checkedNumel(evaluator.sizes(val->as<TensorView>())).value_or(0);
  }
  return elements;
}

// Strides with the gaps that those of the former sizes leave behind the faster axes.
Dims withGaps(const TensorView* tensor, const Dims& strides, const Dims& former, const Dims& sizes) {
  Dims result(strides.size(), 0);
  int64_t dense = 1, newDense = 1;  // the stride of a contiguous next axis
  const std::vector<int>& order = tensor->domain().allocationOrder;
  for (size_t place = order.size(); place-- > 0;) {
    const auto axis = static_cast<size_t>(order[place]);
    if (tensor->axes()[axis]->isBroadcast()) {
      result[axis] = tensor->axes()[axis]->isExpanded() ? 0 : newDense;
      continue;
    }
    result[axis] = newDense + std::max<int64_t>(strides[axis] - dense, 0);
    dense = strides[axis] * std::max<int64_t>(former[axis], 1);
    newDense = result[axis] * std::max<int64_t>(sizes[axis], 1);
  }
  return result;
}

}  // namespace

FreeSizes::FreeSizes(const Case& testCase)
    : case_(testCase),
      functional_(hasUpdates(*case_.fusion) ? std::move(functionalUpdates(*case_.fusion).fusion) : nullptr) {
  const auto add = [&](IntExpr symbol) {
    if (!numberOf(symbol)) symbols_.push_back(symbol);
  };
  for (const Val* input : case_.fusion->inputs()) {
    if (input->isScalar()) continue;
    for (const IterDomain* axis : input->as<TensorView>()->axes()) {
      if (axis->size()->isSymbol()) add(axis->size());
    }
  }
  for (const IntSymbol& symbol : case_.fusion->ints().symbols()) {
    const Val* scalar = case_.fusion->scalarOf(symbol.expr);
    if (scalar && scalar->isFusionInput()) add(symbol.expr);
  }
}

const std::string& FreeSizes::nameOf(size_t number) const {
  const Val* scalar = case_.fusion->scalarOf(symbols_.at(number));
  return scalar ? scalar->name() : case_.fusion->ints().symbolOf(symbols_[number]).name;
}

std::optional<size_t> FreeSizes::numberOf(IntExpr symbol) const {
  const auto found = std::find(symbols_.begin(), symbols_.end(), symbol);
  return found == symbols_.end() ? std::nullopt : std::optional<size_t>(found - symbols_.begin());
}

std::optional<size_t> FreeSizes::ofAxis(size_t input, size_t axis) const {
  return numberOf(case_.fusion->inputs().at(input)->as<TensorView>()->axes().at(axis)->size());
}

std::optional<size_t> FreeSizes::ofScalar(size_t input) const {
  for (size_t number = 0; number < symbols_.size(); ++number) {
    if (case_.fusion->scalarOf(symbols_[number]) == case_.fusion->inputs().at(input)) return number;
  }
  return std::nullopt;
}

FreeSizes::Values FreeSizes::valuesIn(const Run& run) const {
  Values values(symbols_.size(), 0);
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    if (const TensorInput* tensor = tensorIn(run.inputs[i])) {
      for (size_t axis = 0; axis < tensor->sizes.size(); ++axis) {
        if (const std::optional<size_t> number = ofAxis(i, axis)) values[*number] = tensor->sizes[axis];
      }
    } else if (const std::optional<size_t> number = ofScalar(i)) {
      values[*number] = std::get<ScalarValue>(run.inputs[i].value).as<int64_t>();
    }
  }
  return values;
}

// Numbers that steer what is computed stay: the generator has drawn operands that suit them.
bool FreeSizes::isRead(size_t number) const {
  const Val* scalar = case_.fusion->scalarOf(symbols_[number]);
  if (scalar && !scalar->uses().empty()) return true;
  const std::vector<Expr*>& exprs = case_.fusion->exprs();
  return std::any_of(exprs.begin(), exprs.end(), [&](const Expr* expr) {
    if (expr->family() != Family::Size) return false;
    bool reads = false;
    const auto axis = static_cast<size_t>(expr->attributes().dim());
    forEachSymbol(expr->input(0)->as<TensorView>()->axes().at(axis)->size(),
                  [&](IntExpr symbol) { reads |= symbol == symbols_[number]; });
    return reads;
  });
}

std::vector<std::vector<size_t>> FreeSizes::groups() const {
  std::vector<std::vector<size_t>> alone, together;
  std::vector<Values> drawn;  // of each group in `together`: the value in each run
  std::vector<bool> fixed;
  for (size_t number = 0; number < count(); ++number) {
    Values own;
    for (const Run& run : case_.runs) own.push_back(valuesIn(run)[number]);
    const auto known = std::find(drawn.begin(), drawn.end(), own);
    const auto place = static_cast<size_t>(known - drawn.begin());
    if (known == drawn.end()) {
      drawn.push_back(own);
      together.emplace_back();
      fixed.push_back(false);
    }
    together[place].push_back(number);
    fixed[place] = fixed[place] || isRead(number);
    if (!isRead(number)) alone.push_back({number});
  }
  for (size_t place = 0; place < together.size(); ++place) {
    if (!fixed[place] && together[place].size() > 1) alone.push_back(together[place]);
  }
  return alone;
}

std::optional<TensorInput> FreeSizes::resized(const TensorView* tensor, const TensorInput& input,
                                              const Values& values) const {
  TensorInput result = input;
  for (size_t axis = 0; axis < result.sizes.size(); ++axis) {
    bool known = true;
    const IntExpr size = tensor->axes()[axis]->size();
    forEachSymbol(size, [&](IntExpr symbol) { known &= numberOf(symbol).has_value(); });
    if (known) result.sizes[axis] = evaluate(size, [&](IntExpr symbol) { return values[*numberOf(symbol)]; });
  }
  if (result.sizes == input.sizes) return result;
  if (input.recipe.kind == RecipeKind::Values || input.recipe.kind == RecipeKind::View) return std::nullopt;
  if (input.strides) result.strides = withGaps(tensor, *input.strides, input.sizes, result.sizes);
  return result;
}

namespace {

// Whether another input lies in the memory of this one.
bool hasView(const Run& run, const std::string& name) {
  return std::any_of(run.inputs.begin(), run.inputs.end(), [&](const RunInput& each) {
    const TensorInput* tensor = std::get_if<TensorInput>(&each.value);
    return tensor && tensor->recipe.kind == RecipeKind::View && tensor->recipe.viewOf == name;
  });
}

}  // namespace

std::optional<Run> FreeSizes::resized(const Run& run, const Values& values, int64_t mostElements) const {
  const Fusion& fusion = *case_.fusion;
  Run result = run;
  for (size_t i = 0; i < result.inputs.size(); ++i) {
    if (TensorInput* tensor = std::get_if<TensorInput>(&result.inputs[i].value)) {
      std::optional<TensorInput> changed = resized(fusion.inputs()[i]->as<TensorView>(), *tensor, values);
      if (!changed) return std::nullopt;
      *tensor = std::move(*changed);
    } else if (const std::optional<size_t> number = ofScalar(i)) {
      result.inputs[i].value = ScalarValue(values[*number]);
    }
  }
  try {
    for (size_t i = 0; i < result.inputs.size(); ++i) {
      const RunInput& input = result.inputs[i];
      const TensorInput* tensor = std::get_if<TensorInput>(&input.value);
      const bool isNew = tensor && tensor->sizes != std::get<TensorInput>(run.inputs[i].value).sizes;
      if (isNew && hasView(run, input.name)) return std::nullopt;
      if (isNew) checkInput(fusion.inputs()[i]->as<TensorView>(), input, *tensor);
    }
    const Fusion& running = functional_ ? *functional_ : fusion;
    ExpressionEvaluator sizes(running);
    bind(running, result, sizes);
    checkShapes(running, sizes);
    ExpressionEvaluator evaluator(fusion);
    bind(fusion, result, evaluator);
    checkShapes(fusion, evaluator);  // the statements run, too
    if (elementsOf(fusion, evaluator) > mostElements) return std::nullopt;
    for (const auto& [output, input] : case_.aliases) {
      const auto sizesOf = [&](const std::string& name) {
        const auto& vals = fusion.allVals();
        const auto val = std::find_if(vals.begin(), vals.end(), [&](const auto& each) { return each->name() == name; });
        return evaluator.sizes((*val)->as<TensorView>());
      };
      if (sizesOf(output) != sizesOf(input)) return std::nullopt;
    }
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return std::nullopt;
  }
  return result;
}

int64_t FreeSizes::elementsIn(const Run& run) const {
  ExpressionEvaluator evaluator(*case_.fusion);
  bind(*case_.fusion, run, evaluator);
  return elementsOf(*case_.fusion, evaluator);
}

}  // namespace fuser::fuzz
