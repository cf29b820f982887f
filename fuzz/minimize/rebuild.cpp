// A case with an edit: kept inputs, new inputs, the expressions that outputs need, the runs' data.

#include <algorithm>

#include "fuser/case/recipe_data.h"
#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/verify.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/minimize/edit.h"
#include "fuzz/edit/placement.h"

namespace fuser::fuzz {
namespace {

class Rebuild {
 public:
  Rebuild(const Case& from, const Edit& edit, const MakeRecipe& makeRecipe)
      : from_(from), old_(*from.fusion), edit_(edit), makeRecipe_(makeRecipe),
        needed_(old_.valCount(), false), image_(old_.valCount(), nullptr) {}

  Case run() {
    for (const Run& run : from_.runs) evaluators_.push_back(bound(run));
    made_.fusion = std::make_unique<Fusion>(old_.name());
    made_.fusion->setMesh(old_.mesh());
    outputs_ = edit_.outputs.value_or(idsOf(old_.outputs()));
    for (ValId output : outputs_) need(old_.allVals().at(output).get());
    if (!edit_.dropDeadCode && !edit_.outputs && edit_.asInputs.empty() && edit_.replaced.empty()) needDeadCode();
    makeInputs();
    for (const Expr* expr : old_.exprs()) {
      if (isKept(expr)) makeExpr(expr);
    }
    for (ValId output : outputs_) made_.fusion->addOutput(image(old_.allVals().at(output).get()));
    keepPossibleViews(*made_.fusion);
    const std::vector<Violation> violations = findViolations(*made_.fusion);
    FUSER_USER_CHECK(violations.empty(), violations.front().message);
    makeRuns();
    copyTheRest();
    // What the text refuses is no case: it is what judges and files have.
    parseCase(printCase(made_), "rebuilt");
    return std::move(made_);
  }

 private:
  static std::vector<ValId> idsOf(const std::vector<Val*>& vals) {
    std::vector<ValId> ids;
    for (const Val* val : vals) ids.push_back(val->id());
    return ids;
  }

  std::unique_ptr<ExpressionEvaluator> bound(const Run& run) const {
    auto evaluator = std::make_unique<ExpressionEvaluator>(old_);
    for (size_t i = 0; i < run.inputs.size(); ++i) {
      const Val* input = old_.inputs().at(i);
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

  // --- what is kept ---

  const Val* resolve(const Val* val) const {
    for (size_t steps = 0; steps <= old_.valCount(); ++steps) {
      const auto found = edit_.replaced.find(val->id());
      if (found == edit_.replaced.end()) return val;
      val = old_.allVals().at(found->second).get();
    }
    throwUserError("values replace each other");
  }

  bool isInput(const Val* val) const {
    return val->isFusionInput() || (val->definition() && edit_.asInputs.count(val->id()) != 0);
  }

  bool isKept(const Expr* expr) const {
    return std::any_of(expr->outputs().begin(), expr->outputs().end(),
                       [&](const Val* output) { return needed_[output->id()] && !isInput(output); });
  }

  void need(const Val* wanted) {
    const Val* val = resolve(wanted);
    if (needed_[val->id()] || edit_.constants.count(val->id())) return;
    needed_[val->id()] = true;
    if (val->isTensor() && val->isFusionInput()) {
      for (size_t i = 0; i < val->as<TensorView>()->axes().size(); ++i) {
        const IterDomain* axis = val->as<TensorView>()->axes()[i];
        if (edit_.droppedAxes.count({val->id(), i})) continue;
        needScalars(axis->extent());
        needScalars(axis->expandedExtent());
      }
    }
    if (isInput(val) || !val->definition()) return;
    needOperands(val->definition());
  }

  void needOperands(const Expr* expr) {
    for (size_t i = 0; i < expr->inputs().size(); ++i) {
      if (!edit_.literals.count({expr->id(), i})) need(expr->input(i));
    }
    for (IntExpr extent : expr->attributes().allIntegers()) needScalars(extent);
  }

  void needScalars(IntExpr extent) {
    if (!extent) return;
    forEachSymbol(extent, [&](IntExpr symbol) {
      if (const Val* scalar = old_.scalarOf(symbol)) need(scalar);
    });
  }

  void needDeadCode() {
    for (const Expr* expr : old_.exprs()) {
      for (const Val* output : expr->outputs()) need(output);
    }
    for (const Val* input : old_.inputs()) need(input);
  }

  // --- types ---

  DataType dtypeOf(DataType dtype) const {
    const auto found = edit_.dtypes.find(dtype);
    return found == edit_.dtypes.end() ? dtype : found->second;
  }
  DataType dtypeOf(const Val* input) const {
    const auto found = edit_.inputDtypes.find(input->id());
    if (found != edit_.inputDtypes.end()) return found->second;
    const DataType dtype = dtypeOf(input->dtype());
    if (input->isTensor() || category(dtype) == category(input->dtype())) {
      // A host scalar is f64, i64 or bool.
      return input->isTensor() ? dtype : input->dtype();
    }
    return input->dtype();
  }

  // The same size in all runs: its number; a symbol that nothing binds has no other meaning.
  std::optional<int64_t> numberOf(IntExpr extent) {
    std::optional<int64_t> number;
    for (const std::unique_ptr<ExpressionEvaluator>& evaluator : evaluators_) {
      const int64_t value = evaluator->evaluate(extent);
      if (number && *number != value) return std::nullopt;
      number = value;
    }
    return number;
  }

  IntExpr import(IntExpr extent) {
    if (!extent) return nullptr;
    return made_.fusion->ints().import(extent, [&](IntExpr symbol) {
      if (const Val* scalar = old_.scalarOf(symbol)) return importScalar(scalar);
      const std::string& name = old_.ints().symbolOf(symbol).name;
      if (!boundSymbols_.count(name)) {
        if (const std::optional<int64_t> number = numberOf(symbol)) return made_.fusion->ints().constant(*number);
      }
      return made_.fusion->extentSymbol(name);
    });
  }

  IntExpr importScalar(const Val* scalar) {
    Val* made = image(scalar);
    const std::optional<ScalarValue>& constant = made->as<Scalar>()->constant();
    if (constant) return made_.fusion->ints().constant(constant->as<int64_t>());
    return made_.fusion->scalarSymbol(made);
  }

  // Of an axis that gets another size: a number becomes that number, a symbol stays.
  IntExpr resized(IntExpr extent, AxisOf axis) {
    const auto found = edit_.sizes.find(axis);
    if (found == edit_.sizes.end() || !extent || !extent->isConstant()) return import(extent);
    return made_.fusion->ints().constant(found->second);
  }

  // Of a new input: a symbol or a number as it is; what is computed becomes a symbol of its own.
  IntExpr inputExtent(IntExpr extent) {
    if (!extent) return nullptr;
    if (extent->isConstant()) return import(extent);
    if (extent->isSymbol() && !old_.scalarOf(extent)) {
      return made_.fusion->extentSymbol(old_.ints().symbolOf(extent).name);
    }
    const auto [entry, fresh] = computedExtents_.emplace(extent, nullptr);
    if (fresh) entry->second = made_.fusion->extentSymbol(concat("z", computedExtents_.size() - 1));
    return entry->second;
  }

  // --- inputs ---

  void makeInputs() {
    for (const Val* val : old_.inputs()) noteBound(val);
    for (const auto& val : old_.allVals()) {
      if (!val->isFusionInput() && isInput(val.get())) noteBound(val.get());
    }
    for (const Val* val : old_.inputs()) {
      if (val->isScalar()) makeInput(val);
    }
    for (const Val* val : old_.inputs()) {
      if (val->isTensor()) makeInput(val);
    }
    for (const auto& val : old_.allVals()) {
      if (!val->isFusionInput() && isInput(val.get())) makeInput(val.get());
    }
    for (const Val* val : old_.inputs()) keepInput(val);
    for (const auto& val : old_.allVals()) {
      if (!val->isFusionInput() && isInput(val.get())) keepInput(val.get());
    }
  }

  void noteBound(const Val* val) {
    if (!needed_[val->id()] || val->isScalar()) return;
    const std::vector<IterDomain*> axes = val->as<TensorView>()->axes();
    for (size_t i = 0; i < axes.size(); ++i) {
      if (edit_.droppedAxes.count({val->id(), i})) continue;
      for (IntExpr extent : {axes[i]->extent(), axes[i]->expandedExtent()}) {
        if (extent && extent->isSymbol() && !old_.scalarOf(extent)) {
          boundSymbols_.insert(old_.ints().symbolOf(extent).name);
        }
      }
    }
  }

  void makeInput(const Val* val) {
    if (!needed_[val->id()]) return;
    if (val->isScalar()) {
      image_[val->id()] = made_.fusion->newScalar(dtypeOf(val), val->name());
      return;
    }
    const TensorView* tensor = val->as<TensorView>();
    const bool kept = val->isFusionInput();
    TensorDomain domain;
    const std::vector<IterDomain*> axes = tensor->axes();
    for (size_t i = 0; i < axes.size(); ++i) {
      const AxisOf axis{val->id(), i};
      if (edit_.droppedAxes.count(axis)) continue;
      const IterDomain* old = axes[i];
      if (kept) {
        domain.logical.push_back(made_.fusion->newIterDomain(
            old->type(), old->isBroadcast() ? import(old->extent()) : resized(old->extent(), axis),
            resized(old->expandedExtent(), axis)));
      } else {
        domain.logical.push_back(made_.fusion->newIterDomain(old->type(), inputExtent(old->extent()),
                                                             inputExtent(old->expandedExtent())));
      }
    }
    if (kept && !edit_.plainLayouts.count(val->id())) keepInputLayout(tensor, domain);
    TensorView* made = made_.fusion->newTensor(dtypeOf(val), std::move(domain), val->name());
    made->setCpuScalar(tensor->isCpuScalar());
    if (kept) keepPlacement(tensor, made);
    image_[val->id()] = made;
  }

  // The order and contiguity of the axes that stay.
  void keepInputLayout(const TensorView* tensor, TensorDomain& domain) const {
    const TensorDomain& old = tensor->domain();
    for (size_t i = 0; i < old.allocationOrder.size(); ++i) {
      const int axis = old.allocationOrder[i];
      if (isDropped(tensor, static_cast<size_t>(axis))) continue;
      int before = 0;
      for (int other = 0; other < axis; ++other) before += !isDropped(tensor, static_cast<size_t>(other));
      domain.allocationOrder.push_back(before);
      domain.contiguity.push_back(old.contiguity[i]);
    }
  }

  void keepInput(const Val* val) {
    if (!needed_[val->id()]) return;
    made_.fusion->addInput(image_[val->id()]);
    inputs_.push_back(val);
  }

  // --- expressions ---

  Val* image(const Val* wanted) {
    const Val* val = resolve(wanted);
    const auto constant = edit_.constants.find(val->id());
    if (constant != edit_.constants.end()) return made_.fusion->newConstant(constant->second);
    Val*& made = image_.at(val->id());
    if (!made && val->isScalar() && val->as<Scalar>()->isConstant()) {
      made = made_.fusion->newConstant(*val->as<Scalar>()->constant());
    }
    FUSER_USER_CHECK(made, "%", val->name(), " is not made where it is read");
    return made;
  }

  bool isDropped(const Val* val, size_t axis) const { return edit_.droppedAxes.count({val->id(), axis}) != 0; }

  // The places in the logical domain of the axes that consumers see.
  static std::vector<size_t> visiblePlaces(const TensorView* tensor) {
    std::vector<size_t> places;
    const std::vector<IterDomain*>& logical = tensor->domain().logical;
    for (size_t i = 0; i < logical.size(); ++i) {
      if (!logical[i]->isReduction()) places.push_back(i);
    }
    return places;
  }

  // Entries of `dims` that count axes of `tensor`, without the dropped ones.
  std::vector<int64_t> keptDims(const std::vector<int64_t>& dims, const TensorView* tensor) const {
    const std::vector<size_t> places = visiblePlaces(tensor);
    std::vector<int64_t> kept;
    for (int64_t dim : dims) {
      if (isDropped(tensor, places.at(static_cast<size_t>(dim)))) continue;
      int64_t before = 0;
      for (int64_t i = 0; i < dim; ++i) before += !isDropped(tensor, places[static_cast<size_t>(i)]);
      kept.push_back(before);
    }
    return kept;
  }

  void makeExpr(const Expr* expr) {
    std::vector<Val*> operands;
    for (size_t i = 0; i < expr->inputs().size(); ++i) {
      const auto literal = edit_.literals.find({expr->id(), i});
      operands.push_back(literal == edit_.literals.end() ? image(expr->input(i))
                                                         : made_.fusion->newConstant(literal->second));
    }
    const Val* result = expr->output();
    if (isPointwise(expr->op())) {
      image_[result->id()] = build::pointwise(*made_.fusion, expr->op(), operands, result->name());
    } else {
      makeStructural(expr, operands);
    }
    for (const Val* each : expr->outputs()) {
      Val* made = image_[each->id()];
      // Not where an operand stands for the result, or an input does.
      const bool fresh =
          made && made->definition() && std::find(operands.begin(), operands.end(), made) == operands.end();
      if (fresh && each->isTensor() && made->isTensor()) keepPlacement(each->as<TensorView>(), made->as<TensorView>());
    }
  }

  // The entries that the kept axes of the result leave; place(i): the axis that entry i belongs to.
  template <class Place, class Map>
  std::vector<IntExpr> keptEntries(const Expr* expr, AttributeName name, Place place, Map map) {
    const std::vector<IntExpr>& entries = expr->attributes().integers(name);
    std::vector<IntExpr> kept;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!isDropped(expr->output(), place(i))) kept.push_back(map(entries[i], place(i)));
    }
    return kept;
  }

  // The attributes without the dropped axes, over the new fusion's sizes.
  Attributes keptAttributes(const Expr* expr) {
    const Val* result = expr->output();
    const Attributes& old = expr->attributes();
    const auto itself = [](size_t i) { return i; };
    const auto fromTheLast = [&](size_t i) { return result->as<TensorView>()->rank() - 1 - i / 2; };
    const auto imported = [&](IntExpr entry, size_t) { return import(entry); };
    Attributes kept;
    for (const FamilyAttribute& attribute : familyAttributes(expr->family())) {
      const AttributeName name = attribute.name;
      switch (attribute.kind) {
        case AttributeKind::Axis:
        case AttributeKind::Axes: {
          const Val* counted = attribute.ofResult ? result : expr->input(0);
          kept.setAxes(name, keptDims(old.axes(name), counted->as<TensorView>()));
          break;
        }
        case AttributeKind::Extents:
          kept.setIntegers(name, keptEntries(expr, name, itself, [&](IntExpr size, size_t axis) {
                             return resized(size, {result->id(), axis});
                           }));
          break;
        case AttributeKind::Counts: kept.setIntegers(name, keptEntries(expr, name, itself, imported)); break;
        case AttributeKind::Bounds: kept.setIntegers(name, keptEntries(expr, name, fromTheLast, imported)); break;
        case AttributeKind::Extent:
          kept.setBound(name, resized(old.bound(name), {result->id(), slotOf(name)}));
          break;
        case AttributeKind::Bound: kept.setBound(name, import(old.bound(name))); break;
        case AttributeKind::Dtype: kept.setDtype(name, dtypeOf(old.dtypeOf(name))); break;
        case AttributeKind::Number: kept.setNumber(name, old.number(name)); break;
        case AttributeKind::Flag:
        case AttributeKind::Operand: break;
      }
    }
    return kept;
  }

  // Nothing is left to do along any axis: what stands for the result.
  Val* withoutAxes(const Expr* expr, Val* operand) {
    const Val* result = expr->output();
    if (result->isScalar()) {
      const auto dim = static_cast<size_t>(expr->attributes().dim());
      const std::optional<int64_t> number = numberOf(expr->input(0)->as<TensorView>()->axes().at(dim)->size());
      FUSER_USER_CHECK(number, "%", result->name(), " differs between the runs");
      return made_.fusion->newConstant(*number);
    }
    FUSER_USER_CHECK(!isWelford(expr->op()), "%", result->name(), " varies along no axis");
    if (!isReduction(expr->op()) || operand->dtype() == result->dtype()) return operand;
    return build::cast(*made_.fusion, operand, result->dtype(), result->name());
  }

  void makeStructural(const Expr* expr, std::vector<Val*> operands) {
    const Val* result = expr->output();
    Attributes attributes = keptAttributes(expr);
    if (!expr->attributes().allAxes().empty() && attributes.allAxes().empty()) {
      image_[result->id()] = withoutAxes(expr, operands[0]);
      return;
    }
    const InferredType type = infer(*made_.fusion, expr->op(), operands, attributes);
    std::vector<Val*> results;
    for (const Val* each : expr->outputs()) {
      results.push_back(newResult(type, each->name()));
      if (!isInput(each)) image_[each->id()] = results.back();
    }
    made_.fusion->newExpr(expr->op(), std::move(operands), std::move(results), std::move(attributes));
  }

  Val* newResult(const InferredType& type, const std::string& name) {
    if (!type.tensor) return made_.fusion->newScalar(type.dtype, name);
    TensorDomain domain;
    for (const AxisType& axis : type.axes) {
      domain.logical.push_back(made_.fusion->newIterDomain(axis.type, axis.extent, axis.expandedExtent));
    }
    return made_.fusion->newTensor(type.dtype, std::move(domain), name);
  }

  // What is said of the tensor, of the axes that are not dropped.
  void keepPlacement(const TensorView* old, TensorView* made) const {
    std::vector<bool> kept;
    for (size_t axis : visiblePlaces(old)) kept.push_back(!isDropped(old, axis));
    TensorPlacement placement = withAxes(placementOf(old), kept);
    if (edit_.plainLayouts.count(old->id())) placement.allocationOrder.clear();
    place(made, placement);
  }

  // --- runs ---

  void makeRuns() {
    for (size_t i = 0; i < from_.runs.size(); ++i) {
      Run run;
      run.expectation = from_.runs[i].expectation;
      for (const Val* input : inputs_) {
        run.inputs.push_back(input->isFusionInput() ? keptInput(input, from_.runs[i]) : newInput(input, i));
      }
      made_.runs.push_back(std::move(run));
    }
  }

  RunInput newInput(const Val* val, size_t run) {
    RunInput input{val->name(), {}};
    if (val->isScalar()) {
      input.value = evaluators_[run]->evaluate(val);
      return input;
    }
    TensorInput tensor;
    tensor.dtype = dtypeOf(val);
    tensor.sizes = evaluators_[run]->sizes(val->as<TensorView>());
    tensor.recipe = makeRecipe_(val, run, tensor.dtype, tensor.sizes);
    input.value = std::move(tensor);
    return input;
  }

  RunInput keptInput(const Val* val, const Run& run) {
    const auto& inputs = old_.inputs();
    RunInput input = run.inputs.at(static_cast<size_t>(std::find(inputs.begin(), inputs.end(), val) - inputs.begin()));
    TensorInput* tensor = std::get_if<TensorInput>(&input.value);
    if (!tensor) return input;
    const DataType before = tensor->dtype;
    tensor->dtype = dtypeOf(val);
    if (edit_.plainLayouts.count(val->id())) {
      tensor->strides.reset();
      tensor->offset = 0;
    }
    changeSizes(val, *tensor);
    Recipe& recipe = tensor->recipe;
    if (tensor->dtype != before && recipe.kind != RecipeKind::Values) recipe = plainRecipe(tensor->dtype, recipe.seed);
    if (tensor->dtype != before) {
      const DataType kind = isFloating(tensor->dtype) ? DataType::Double
                            : tensor->dtype == DataType::Bool ? DataType::Bool
                                                              : DataType::Int64;
      for (ScalarValue& value : recipe.values) value = value.castTo(kind);
    }
    const bool lost = recipe.kind == RecipeKind::View &&
                      std::none_of(inputs_.begin(), inputs_.end(), [&](const Val* other) {
                        return other->isFusionInput() && other->name() == recipe.viewOf && other != val;
                      });
    if (lost) {
      recipe = plainRecipe(tensor->dtype, val->id());
      tensor->strides.reset();
      tensor->offset = 0;
    }
    return input;
  }

  // Dropped axes and new sizes; of listed values, the first along each axis stay.
  void changeSizes(const Val* val, TensorInput& tensor) {
    const Dims old = tensor.sizes;
    Dims kept = old;  // of each old axis: how many of its elements stay
    for (size_t i = 0; i < old.size(); ++i) {
      const auto size = edit_.sizes.find({val->id(), i});
      if (size != edit_.sizes.end()) kept[i] = size->second;
      if (isDropped(val, i)) kept[i] = 1;
    }
    if (tensor.recipe.kind == RecipeKind::Values && kept != old) {
      std::vector<ScalarValue> values;
      for (int64_t index = 0; index < numel(old); ++index) {
        bool inside = true;
        int64_t rest = index;
        for (size_t axis = old.size(); axis-- > 0;) {
          inside &= rest % old[axis] < kept[axis];
          rest /= old[axis];
        }
        if (inside) values.push_back(tensor.recipe.values[static_cast<size_t>(index)]);
      }
      tensor.recipe.values = std::move(values);
    }
    Dims sizes;
    for (size_t i = 0; i < old.size(); ++i) {
      if (!isDropped(val, i)) sizes.push_back(kept[i]);
    }
    // What the strides of the other axes were made for is gone.
    if (sizes.size() != old.size()) tensor.strides.reset();
    tensor.sizes = sizes;
  }

  void copyTheRest() {
    made_.metadata = from_.metadata;
    made_.options = from_.options;
    made_.schedule = from_.schedule;
    made_.segmentSchedules = from_.segmentSchedules;
    giveMemory(made_, from_.aliases, from_.preallocated);
  }

  const Case& from_;
  const Fusion& old_;
  const Edit& edit_;
  const MakeRecipe& makeRecipe_;
  std::vector<bool> needed_;  // by id
  std::vector<Val*> image_;   // by id
  std::vector<ValId> outputs_;
  std::vector<const Val*> inputs_;  // of the old fusion, in the order of the new one's
  std::set<std::string> boundSymbols_;
  std::map<IntExpr, IntExpr> computedExtents_;  // look-ups only
  std::vector<std::unique_ptr<ExpressionEvaluator>> evaluators_;  // one a run
  Case made_;
};

}  // namespace

std::optional<Case> rebuild(const Case& from, const Edit& edit, const MakeRecipe& makeRecipe) {
  try {
    return Rebuild(from, edit, makeRecipe).run();
  } catch (const UserError&) {
    return std::nullopt;  // the operands no longer fit, a symbol is bound by nothing, …
  } catch (const CheckError&) {
    return std::nullopt;  // the builders trip over something absurd; the case at hand is about something else
  }
}

Recipe plainRecipe(DataType dtype, uint64_t seed) {
  Recipe recipe;
  recipe.seed = seed;
  switch (category(dtype)) {
    case Category::Float: recipe.kind = RecipeKind::Normal; break;
    case Category::Int:
      recipe.kind = RecipeKind::Integers;
      recipe.low = 1;
      recipe.high = 8;
      break;
    case Category::Bool:
      recipe.kind = RecipeKind::Integers;
      recipe.low = 0;
      recipe.high = 2;
      break;
  }
  return recipe;
}

}  // namespace fuser::fuzz
