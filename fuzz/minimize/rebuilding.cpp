// Values, sizes and dtypes under a change.

#include "fuzz/minimize/rebuilding.h"

#include "fuser/case/recipe_data.h"

namespace fuser::fuzz {
namespace {

std::unique_ptr<ExpressionEvaluator> bound(const Fusion& fusion, const Run& run) {
  auto evaluator = std::make_unique<ExpressionEvaluator>(fusion);
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    const Val* input = fusion.inputs().at(i);
    if (const TensorInput* tensor = std::get_if<TensorInput>(&run.inputs[i].value)) {
      evaluator->bindSizes(input->as<TensorView>(), tensor->sizes);
      if (input->as<TensorView>()->isCpuScalar()) {
        evaluator->bindElement(input->as<TensorView>(), hostElement(*tensor));
      }
    } else {
      evaluator->bindScalar(input, std::get<ScalarValue>(run.inputs[i].value));
    }
  }
  return evaluator;
}

}  // namespace

Rebuilding::Rebuilding(const Case& from, const Change& change, const MakeRecipe& makeRecipe)
    : from(from),
      old(*from.fusion),
      change(change),
      makeRecipe(makeRecipe),
      names(old),
      kept(old, change),
      edit(caseEditOf(from)) {
  for (const Run& run : from.runs) evaluators.push_back(bound(old, run));
  noteBound();
  noteMentioned();
}

void Rebuilding::noteBound() {
  for (const Val* input : kept.inputs()) {
    if (input->isScalar()) continue;
    const std::vector<bool> axes = kept.axes(input->as<TensorView>());
    for (size_t i = 0; i < axes.size(); ++i) {
      const IntExpr size = input->as<TensorView>()->axes()[i]->size();
      if (axes[i] && size->isSymbol() && !old.scalarOf(size)) bound_.insert(names.ofSymbol(size));
    }
  }
}

void Rebuilding::noteMentioned() {
  const auto mention = [&](IntExpr size) {
    forEachSymbol(size, [&](IntExpr symbol) {
      if (!old.scalarOf(symbol)) mentioned_.insert(names.ofSymbol(symbol));
    });
  };
  for (const Val* input : kept.inputs()) {
    if (input->isScalar() || !input->isFusionInput()) continue;  // what becomes an input has no computed sizes
    const std::vector<bool> axes = kept.axes(input->as<TensorView>());
    for (size_t i = 0; i < axes.size(); ++i) {
      const IterDomain* axis = input->as<TensorView>()->axes()[i];
      for (IntExpr size : {axis->extent(), axis->expandedExtent()}) {
        if (axes[i] && size) mention(size);
      }
    }
  }
  for (const Expr* expr : old.exprs()) {
    if (!kept.isMade(expr)) continue;
    for (IntExpr size : expr->attributes().allIntegers()) {
      if (size) mention(size);
    }
  }
}

EditOperand Rebuilding::operandOf(const Val* val) const {
  val = kept.standIn(val);
  const auto constant = change.constants.find(val->id());
  if (constant != change.constants.end()) return constant->second;
  const auto found = standIns.find(val->id());
  if (found != standIns.end()) return found->second;
  if (val->isScalar() && val->as<Scalar>()->isConstant()) return *val->as<Scalar>()->constant();
  return names.of(val);
}

IntExpr Rebuilding::sizeOf(IntExpr extent) {
  return edit.extents.import(extent, [&](IntExpr symbol) {
    if (const Val* scalar = old.scalarOf(symbol)) {
      const EditOperand operand = operandOf(scalar);
      return operand.name() ? edit.extents.named("%" + *operand.name())
                            : edit.extents.constant(operand.literal().as<int64_t>());
    }
    const std::string& name = names.ofSymbol(symbol);
    const std::optional<int64_t> number = bound_.count(name) ? std::nullopt : numberOf(symbol);
    return number ? edit.extents.constant(*number) : edit.extents.named(name);
  });
}

IntExpr Rebuilding::resized(IntExpr extent, AxisOf axis) {
  const auto found = change.sizes.find(axis);
  if (found == change.sizes.end() || !extent || !extent->isConstant()) return sizeOf(extent);
  return edit.extents.constant(found->second);
}

IntExpr Rebuilding::inputSizeOf(IntExpr extent) {
  if (!extent) return nullptr;
  if (extent->isConstant()) return edit.extents.constant(extent->value);
  if (extent->isSymbol() && !old.scalarOf(extent)) return edit.extents.named(names.ofSymbol(extent));
  IntExpr& symbol = computedSizes_[extent];
  for (size_t number = 0; !symbol; ++number) {
    const std::string name = concat("z", number);
    if (!mentioned_.count(name) && bound_.insert(name).second) symbol = edit.extents.named(name);
  }
  return symbol;
}

std::optional<int64_t> Rebuilding::numberOf(IntExpr extent) {
  std::optional<int64_t> number;
  for (const std::unique_ptr<ExpressionEvaluator>& evaluator : evaluators) {
    const int64_t value = evaluator->evaluate(extent);
    if (number && *number != value) return std::nullopt;
    number = value;
  }
  return number;
}

DataType Rebuilding::dtypeOf(DataType dtype) const {
  const auto found = change.dtypes.find(dtype);
  return found == change.dtypes.end() ? dtype : found->second;
}

// A host scalar is f64, i64 or bool, and stays what it is.
DataType Rebuilding::dtypeOfInput(const Val* val) const {
  const auto found = change.inputDtypes.find(val->id());
  if (found != change.inputDtypes.end()) return found->second;
  return val->isTensor() ? dtypeOf(val->dtype()) : val->dtype();
}

void Rebuilding::keepPlacement(const TensorView* tensor) {
  TensorPlacement placement = withAxes(placementOf(tensor), kept.axes(tensor));
  if (change.plainLayouts.count(tensor->id())) placement.allocationOrder.clear();
  edit.placements[names.of(tensor)] = std::move(placement);
}

}  // namespace fuser::fuzz
