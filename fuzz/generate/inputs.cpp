// Inputs: shapes, data recipes, layouts, and the runs that bind them.

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuser/analysis/axis_map.h"
#include "fuser/case/recipe_data.h"
#include "fuser/ir/builder.h"
#include "fuser/ir/updates.h"
#include "fuzz/generate/is_seen.h"
#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {
namespace {

// The range that the elements lie in.
Estimate estimateOf(const Recipe& recipe) {
  switch (recipe.kind) {
    case RecipeKind::Normal: return {-6, 6, true, false};
    case RecipeKind::Uniform: return {recipe.low, recipe.high, true, false};
    case RecipeKind::Integers: return {recipe.low, recipe.high - 1, true, false};
    default: return {-1e30, 1e30, false, true};
  }
}

constexpr std::pair<double, double> kFloatRanges[] = {{0, 1}, {-1, 1}, {0.5, 2}, {-3, 3}, {0.1, 10}, {1, 1.5}};

Recipe uniform(std::pair<double, double> range) {
  Recipe recipe;
  recipe.kind = RecipeKind::Uniform;
  recipe.low = range.first;
  recipe.high = range.second;
  return recipe;
}

// That of an earlier input, so that one may lie in the other's memory (shareMemory); or null.
const Recipe* drawEarlierRecipe(Workspace& work, DataType dtype) {
  constexpr double kShare = 0.1;
  std::vector<const Recipe*> earlier;
  for (const InputPlan& plan : work.inputs) {
    const bool isData = plan.input->isTensor() && !plan.input->as<TensorView>()->isCpuScalar() && !plan.isIndex;
    if (isData && plan.input->dtype() == dtype) earlier.push_back(&plan.recipe);
  }
  return earlier.empty() || !work.choices.chance(kShare) ? nullptr : work.choices.pick(earlier);
}

Recipe drawAnyRecipe(Workspace& work, DataType dtype) {
  Choices& choices = work.choices;
  Recipe recipe;
  if (dtype == DataType::Bool) {
    recipe.kind = RecipeKind::Integers;
    recipe.low = 0;
    recipe.high = 2;
    return recipe;
  }
  if (const Recipe* earlier = drawEarlierRecipe(work, dtype)) return *earlier;
  if (choices.chance(work.policy.special)) {
    recipe.kind = RecipeKind::Special;  // NaN, infinities, zeros of both signs, denormals; the ends of integers
    return recipe;
  }
  if (!isFloating(dtype)) {
    constexpr std::pair<double, double> kRanges[] = {{0, 2}, {-8, 8}, {1, 9}, {0, 100}, {-1000, 1000}, {1, 30000}};
    const auto range = choices.pick(kRanges);
    const double limit = saneMagnitude(dtype);
    recipe.kind = RecipeKind::Integers;
    recipe.low = isUnsigned(dtype) ? std::max(range.first, 0.0) : std::max(range.first, -limit);
    recipe.high = std::min(range.second, limit + 1);
    return recipe;
  }
  constexpr double kKinds[] = {0.45, 0.4, 0.15};
  switch (choices.weighted(kKinds)) {
    case 0: recipe.kind = RecipeKind::Normal; return recipe;
    case 1: return uniform(choices.pick(kFloatRanges));
    default:
      recipe.kind = RecipeKind::Integers;
      recipe.low = -4;
      recipe.high = 5;
      return recipe;
  }
}

// Small whole numbers of about the same range.
std::pair<Recipe, Estimate> madeExact(Recipe recipe, DataType dtype, bool isSparse) {
  const double kLeast = isUnsigned(dtype) ? 0 : -4, kMost = 4;
  if (isSparse && dtype != DataType::Bool) {
    recipe.kind = RecipeKind::Integers;
    recipe.low = 0;
    recipe.high = dtypeSize(dtype) <= 2 ? 1 : 2;  // of narrow dtypes one element, which putOne() draws
    return {recipe, {0, kMost, true, false}};     // with that element
  }
  const bool isUniform = recipe.kind == RecipeKind::Uniform;
  if (recipe.kind == RecipeKind::Integers) return {recipe, estimateOf(recipe)};
  const double low = isUniform ? std::max(std::ceil(recipe.low), kLeast) : kLeast;
  const double high = isUniform ? std::min(std::floor(recipe.high), kMost) : kMost;
  recipe.kind = RecipeKind::Integers;
  recipe.low = low;
  recipe.high = std::max(low, high) + 1;
  return {recipe, estimateOf(recipe)};
}

std::pair<Recipe, Estimate> drawRecipe(Workspace& work, DataType dtype) {
  const Recipe recipe = drawAnyRecipe(work, dtype);
  return work.options.exactData ? madeExact(recipe, dtype, work.policy.sparse) : std::pair(recipe, estimateOf(recipe));
}

AxisPlan perturbed(Workspace& work, AxisPlan axis) {
  if (axis.type == IterType::Iteration && work.choices.chance(work.policy.broadcastAxis)) {
    return {IterType::Broadcast, false, {1, 1}};
  }
  if (axis.type == IterType::Iteration && work.choices.chance(work.policy.expandedAxis)) {
    return {IterType::Broadcast, true, axis.sizes};
  }
  return axis;
}

void drawLayout(Workspace& work, TensorDomain& domain) {
  Choices& choices = work.choices;
  std::vector<int> order;
  for (size_t i = 0; i < domain.logical.size(); ++i) order.push_back(static_cast<int>(i));
  if (choices.chance(work.policy.permuted)) choices.shuffle(order);
  const bool isImage = work.policy.channelsLast > 0 && order.size() >= 4;
  if (isImage && choices.chance(work.policy.channelsLast)) {
    std::sort(order.begin(), order.end());
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  }
  domain.allocationOrder = order;
  const bool strided = choices.chance(work.policy.strided);
  for (int axis : order) {
    if (domain.logical[axis]->isBroadcast()) {
      domain.contiguity.push_back(std::nullopt);
    } else {
      domain.contiguity.push_back(!(strided && choices.chance(0.5)));
    }
  }
}

// Strides in elements that fit the input's allocation order and contiguity; a gap where it is not contiguous.
Dims drawStrides(Workspace& work, const TensorView* input, const Dims& sizes) {
  const TensorDomain& domain = input->domain();
  const std::vector<IterDomain*> axes = input->axes();
  Dims strides(sizes.size(), 0);
  int64_t next = 1;  // of a contiguous next axis
  constexpr int64_t kGaps[] = {1, 0, 3, 8, 16};
  for (size_t place = domain.allocationOrder.size(); place-- > 0;) {
    const int axis = domain.allocationOrder[place];
    if (axes[axis]->isBroadcast()) {
      strides[axis] = axes[axis]->isExpanded() ? 0 : next;
      continue;
    }
    if (!domain.contiguity[place].value()) next += work.choices.pick(kGaps);
    strides[axis] = next;
    next *= std::max<int64_t>(sizes[axis], 1);
  }
  return strides;
}

std::array<ScalarValue, kRuns> drawScalarValues(Workspace& work, DataType dtype) {
  std::array<ScalarValue, kRuns> values;
  for (ScalarValue& value : values) value = work.drawLiteral(dtype);
  if (dtype == DataType::Int64 && !work.policy.axes.empty() && work.choices.chance(0.5)) {
    // One of the main sizes: it can stand as an extent.
    const MainAxis& axis = work.choices.pick(work.policy.axes);
    for (size_t run = 0; run < kRuns; ++run) values[run] = axis.sizes[run];
  }
  return values;
}

// With exact data: one element is another number than its recipe draws, NaN or infinite now and then.
void putOne(Workspace& work, TensorInput& input) {
  const int64_t elements = numel(input.sizes);
  if (input.recipe.kind != RecipeKind::Integers || input.recipe.peak || elements == 0) return;
  const bool isSpecial = isFloating(input.dtype) && work.choices.chance(work.policy.oneSpecial);
  const bool isZero = input.recipe.low == 0 && input.recipe.high == 1;
  if (!isSpecial && !isZero) return;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity};
  Peak peak;
  peak.value = isSpecial ? work.choices.pick(kSpecial) : static_cast<double>(work.choices.integer(1, 4));
  peak.axis = kAllAxes;
  peak.index = work.choices.chance(0.3) ? -1 - work.choices.integer(0, std::min<int64_t>(elements - 1, 7))
                                        : work.choices.integer(0, elements - 1);
  input.recipe.peak = peak;
}

// The smallest number above 0, the smallest normal one, the largest one.
std::array<double, 3> endsOf(DataType dtype) {
  switch (dtype) {
    case DataType::Half: return {0x1p-24, 0x1p-14, 65504};
    case DataType::BFloat16: return {0x1p-133, 0x1p-126, 0x1.FEp127};
    case DataType::Float: return {0x1p-149, 0x1p-126, 0x1.FFFFFEp127};
    default: return {0x1p-1074, 0x1p-1022, std::numeric_limits<double>::max()};
  }
}

// One element is unlike the others: at the first place, the last, or in the tail of a vector.
void putOdd(Workspace& work, TensorInput& input) {
  const int64_t elements = numel(input.sizes);
  if (elements == 0) return;
  Choices& choices = work.choices;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto [least, normal, most] = endsOf(input.dtype);
  const double kValues[] = {
      std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, -0.0, 0.0, least, -normal, most, -most};
  const int64_t tail = -1 - choices.integer(0, std::min<int64_t>(elements - 1, 7));
  const int64_t kPlaces[] = {0, -1, tail, choices.integer(0, elements - 1)};
  Peak peak;
  peak.value = choices.pick(kValues);
  peak.axis = kAllAxes;
  peak.index = choices.pick(kPlaces);
  input.recipe.peak = peak;
}

TensorInput makeTensorInput(Workspace& work, const InputPlan& plan, size_t run) {
  const TensorView* tensor = plan.input->as<TensorView>();
  TensorInput input;
  input.dtype = tensor->dtype();
  input.recipe = plan.recipe;
  if (tensor->isCpuScalar()) {
    input.recipe.kind = RecipeKind::Values;
    input.recipe.values = {plan.scalar[run]};
    return input;
  }
  input.recipe.seed = work.choices.dataSeed();
  for (const IterDomain* axis : tensor->axes()) input.sizes.push_back(work.sizeOf(axis->size(), run));
  const auto& contiguity = tensor->domain().contiguity;
  const bool gaps = std::any_of(contiguity.begin(), contiguity.end(), [](auto flag) { return flag == false; });
  if (gaps) input.strides = drawStrides(work, tensor, input.sizes);
  if (work.options.exactData && !plan.isIndex) putOne(work, input);
  if (plan.isOdd && !input.recipe.peak) putOdd(work, input);
  if (work.choices.chance(work.policy.offset)) input.offset = work.choices.integer(1, 9);
  return input;
}

// Sums of small integers are exact in every order (oracle/ORACLE.md#5-reductions): a term that is missing, doubled or
// foreign shows, however many there are. None is 0, which would hide its own loss.
void drawExactTerms(Workspace& work) {
  constexpr double kShare = 0.4;
  const std::vector<Expr*>& exprs = work.fusion->exprs();
  const bool adds = std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) {
    return expr->op() == OpKind::Sum || expr->op() == OpKind::Mean;
  });
  if (!adds || !work.choices.chance(kShare)) return;
  for (InputPlan& plan : work.inputs) {
    const bool isData = plan.input->isTensor() && !plan.input->as<TensorView>()->isCpuScalar();
    if (!isData || !isFloating(plan.input->dtype())) continue;
    Recipe& recipe = plan.recipe;
    // Inside the range that the estimates count on.
    const bool isNormal = recipe.kind == RecipeKind::Normal;
    if (!isNormal && (recipe.kind != RecipeKind::Uniform || recipe.low > 1 || recipe.high < 2)) continue;
    recipe.kind = RecipeKind::Integers;
    recipe.high = isNormal ? 5 : std::floor(recipe.high) + 1;
    recipe.low = 1;
  }
}

// The input whose elements, one by one, become those that the expression reduces; or null.
InputPlan* reducedInput(Workspace& work, const Expr* expr) {
  const Val* val = expr->input(0);
  while (const Expr* maker = val->definition()) {
    if (maker->family() != Family::Unary && maker->family() != Family::Cast) return nullptr;
    val = maker->input(0);
  }
  const auto plan = std::find_if(work.inputs.begin(), work.inputs.end(), [&](const auto& p) { return p.input == val; });
  return plan == work.inputs.end() ? nullptr : &*plan;
}

// The extreme of a range at one place, the others inside of it. Ordinary draws have their extreme anywhere: of many
// terms the first, the last or one of the tail could be lost, and nobody would see it.
void putPeak(Recipe& recipe, DataType dtype, bool greatest, Peak peak) {
  if (dtype == DataType::Bool) {
    recipe.low = greatest ? 0 : 1;
    recipe.high = recipe.low + 1;
    peak.value = greatest ? 1 : 0;
  } else if (recipe.kind == RecipeKind::Integers) {
    if (recipe.high - recipe.low < 2) return;
    peak.value = greatest ? recipe.high - 1 : recipe.low;
    (greatest ? recipe.high : recipe.low) += greatest ? -1 : 1;
  } else if (recipe.kind == RecipeKind::Uniform) {
    peak.value = greatest ? recipe.high : recipe.low;
  } else if (recipe.kind == RecipeKind::Normal) {
    peak.value = greatest ? 6 : -6;
  } else {
    return;
  }
  recipe.peak = peak;
}

// For one in four of the extremes: at the first place, the last, or in the tail.
void drawPeaks(Workspace& work) {
  constexpr double kShare = 0.25;
  for (const Expr* expr : work.fusion->exprs()) {
    const bool greatest = expr->op() == OpKind::Amax || expr->op() == OpKind::Any;
    if (!greatest && expr->op() != OpKind::Amin && expr->op() != OpKind::All) continue;
    if (expr->attributes().dims().empty() || !work.choices.chance(kShare)) continue;
    InputPlan* plan = reducedInput(work, expr);
    if (!plan || plan->isIndex || plan->recipe.peak || plan->input->as<TensorView>()->isCpuScalar()) continue;
    const int64_t kPlaces[] = {0, -1, -work.choices.integer(2, 8)};
    const int64_t place = work.choices.pick(kPlaces);
    putPeak(plan->recipe, plan->input->dtype(), greatest, {0, work.choices.pick(expr->attributes().dims()), place});
  }
}

TensorView* addInput(Workspace& work, DataType dtype, const std::vector<AxisPlan>& shape) {
  TensorDomain domain;
  for (const AxisPlan& axis : shape) {
    if (axis.type == IterType::Broadcast) {
      domain.logical.push_back(work.fusion->newIterDomain(IterType::Broadcast, work.fusion->ints().constant(1),
                                                          axis.expanded ? work.inputExtent(axis.sizes) : nullptr));
    } else {
      domain.logical.push_back(work.fusion->newIterDomain(IterType::Iteration, work.inputExtent(axis.sizes)));
    }
  }
  drawLayout(work, domain);
  TensorView* tensor = work.fusion->newTensor(dtype, std::move(domain), work.freshName());
  work.fusion->addInput(tensor);
  return tensor;
}

// What a run is expected to do that reads a bad index.
Expectation expectationOf(const Workspace& work, size_t run) {
  Expectation expected = Expectation::Agrees;
  for (const TensorView* indices : work.badIndices) {
    bool isEmpty = false;
    for (const IterDomain* axis : indices->axes()) isEmpty |= work.sizeOf(axis->size(), run) == 0;
    if (isEmpty) continue;
    const bool seen = std::any_of(indices->uses().begin(), indices->uses().end(), [&](const Expr* reader) {
      return takesIndices(reader) && reader->input(1) == indices && isSeen(reader->output()->as<TensorView>());
    });
    // An update may overwrite the index, or what was read at it, before anybody sees it.
    if (seen && !hasUpdates(*work.fusion)) return Expectation::Rejected;
    expected = Expectation::AgreesOrRejected;
  }
  return expected;
}

// One more run, with other elements and the sizes of one before: it meets a program that fits.
void repeatRun(Workspace& work, std::vector<Run>& runs) {
  Run again = work.choices.pick(runs);
  for (size_t i = 0; i < again.inputs.size(); ++i) {
    auto* tensor = std::get_if<TensorInput>(&again.inputs[i].value);
    if (tensor && !work.inputs[i].isIndex) tensor->recipe.seed = work.choices.dataSeed();
  }
  runs.push_back(std::move(again));
}

bool isDense(const Val* input) {
  if (!input->isTensor() || input->as<TensorView>()->isCpuScalar()) return false;
  const TensorDomain& domain = input->as<TensorView>()->domain();
  const std::vector<IterDomain*> axes = input->as<TensorView>()->axes();
  return std::none_of(domain.contiguity.begin(), domain.contiguity.end(), [](auto flag) { return flag == false; }) &&
         std::none_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis->isExpanded(); });
}

// Whether each value that the one may hold is one that the other may.
bool isWithin(const Recipe& inner, const Recipe& outer) {
  const auto isSpecial = [](const Recipe& recipe) { return recipe.kind == RecipeKind::Special; };
  if (isSpecial(inner) || isSpecial(outer)) return isSpecial(inner) && isSpecial(outer);
  if (outer.kind == RecipeKind::Integers && inner.kind != RecipeKind::Integers) return false;
  const Estimate one = estimateOf(inner), other = estimateOf(outer);
  return other.low <= one.low && one.high <= other.high;
}

// Whether the view's elements may be the owner's.
bool mayShare(const InputPlan& owner, const InputPlan& view) {
  const auto isPlain = [](const InputPlan& plan) {
    return isDense(plan.input) && !plan.isIndex && !plan.isOdd && !plan.recipe.peak;
  };
  return &owner != &view && isPlain(owner) && isPlain(view) && owner.input->dtype() == view.input->dtype() &&
         isWithin(owner.recipe, view.recipe);
}

}  // namespace

void shareMemory(Workspace& work, std::vector<Run>& runs) {
  std::vector<std::pair<size_t, size_t>> pairs;  // owner, view
  for (size_t a = 0; a < work.inputs.size(); ++a) {
    for (size_t b = 0; b < work.inputs.size(); ++b) {
      if (mayShare(work.inputs[a], work.inputs[b])) pairs.emplace_back(a, b);
    }
  }
  if (pairs.empty()) return;
  const auto [a, b] = work.choices.pick(pairs);
  for (Run& run : runs) {
    const auto& owner = std::get<TensorInput>(run.inputs[a].value);
    auto& view = std::get<TensorInput>(run.inputs[b].value);
    const int64_t left = numel(owner.sizes) - numel(view.sizes);
    if (left < 0 || numel(view.sizes) == 0 || owner.recipe.peak) continue;
    view.recipe = Recipe{};
    view.recipe.kind = RecipeKind::View;
    view.recipe.viewOf = run.inputs[a].name;
    view.offset = work.choices.integer(0, left);
  }
}

std::array<Dims, kRuns> sizesOf(const std::vector<AxisPlan>& shape) {
  std::array<Dims, kRuns> sizes;
  for (const AxisPlan& axis : shape) {
    for (size_t run = 0; run < kRuns; ++run) sizes[run].push_back(axis.sizes[run]);
  }
  return sizes;
}

std::vector<AxisPlan> drawShape(Workspace& work) {
  Choices& choices = work.choices;
  std::vector<AxisPlan> shape;
  for (const MainAxis& axis : work.policy.axes) shape.push_back({IterType::Iteration, false, axis.sizes});
  constexpr double kKinds[] = {/*whole*/ 0.6, /*last axes*/ 0.2, /*any of them*/ 0.12, /*another order*/ 0.08};
  switch (choices.weighted(kKinds)) {
    case 0: break;
    case 1:
      shape.erase(shape.begin(),
                  shape.begin() + static_cast<ptrdiff_t>(choices.index(std::max<size_t>(shape.size(), 1))));
      break;
    case 2: std::erase_if(shape, [&](const AxisPlan&) { return choices.chance(0.5); }); break;
    default: choices.shuffle(shape); break;
  }
  for (AxisPlan& axis : shape) axis = perturbed(work, axis);
  return shape;
}

std::vector<AxisPlan> drawShapeLike(Workspace& work, const TensorValue& other) {
  std::vector<AxisPlan> shape;
  const std::vector<IterDomain*> axes = other.tensor->axes();
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i]->isBroadcast() && !axes[i]->isExpanded()) {
      shape.push_back({IterType::Broadcast, false, {1, 1}});
    } else {
      AxisPlan axis{IterType::Iteration, false, {other.sizes[0][i], other.sizes[1][i]}};
      const bool isOne = work.choices.chance(work.policy.onesMeet);
      if (isOne) axis.sizes[work.choices.index(kRuns)] = 1;
      shape.push_back(isOne ? axis : perturbed(work, axis));
    }
  }
  if (work.choices.chance(work.policy.broadcastAxis)) {
    shape.erase(shape.begin(), shape.begin() + static_cast<ptrdiff_t>(work.choices.index(shape.size() + 1)));
  }
  return shape;
}

namespace {

// A dtype of the category that is stored alone; nullopt where the case draws none.
std::optional<DataType> drawStored(Workspace& work, DataType dtype) {
  if (work.storedOnly || category(dtype) == Category::Bool || !work.policy.opAllowed(OpKind::Cast)) return std::nullopt;
  if (!work.choices.chance(work.policy.stored)) return std::nullopt;
  std::vector<DataType> stored;
  std::copy_if(std::begin(kAllDataTypes), std::end(kAllDataTypes), std::back_inserter(stored),
               [&](DataType each) { return isStored(each) && category(each) == category(dtype); });
  return work.choices.pick(stored);
}

}  // namespace

size_t newSource(Workspace& work, DataType dtype, std::vector<AxisPlan> shape) {
  if (const std::optional<DataType> stored = drawStored(work, dtype)) {
    work.storedOnly = stored;
    const size_t source = newSource(work, *stored, std::move(shape));
    work.storedOnly.reset();
    return applyCast(work, source, castIsDefined(work.tensors[source], dtype) ? dtype : DataType::Float);
  }
  if (!work.affordable(sizesOf(shape))) {
    for (AxisPlan& axis : shape) axis = {IterType::Broadcast, false, {1, 1}};
  }
  if (!work.policy.inputs) {
    std::vector<IntExpr> sizes;
    for (const AxisPlan& axis : shape) {
      const bool broadcast = axis.type == IterType::Broadcast && !axis.expanded;
      sizes.push_back(broadcast ? work.fusion->ints().constant(1) : drawExtent(work, axis.sizes));
    }
    const ScalarValue fill = work.drawLiteral(dtype);
    return work.keep(build::full(*work.fusion, sizes, work.fusion->newConstant(fill), dtype, work.freshName()),
                     convertEstimate(pointEstimate(fill), dtype, dtype));
  }
  TensorView* tensor = addInput(work, dtype, shape);
  auto [recipe, estimate] = drawRecipe(work, dtype);
  const bool isOdd =
      isFloating(dtype) && recipe.kind != RecipeKind::Special && work.choices.chance(work.policy.oddElement);
  if (isOdd) estimate = {-1e30, 1e30, false, true};
  work.inputs.push_back({tensor, recipe, {}, false, isOdd});
  const size_t index = work.keep(tensor, estimate);
  const bool narrow = isNarrowFloat(dtype) && !work.storedOnly;
  if (narrow && work.policy.opAllowed(OpKind::Cast) && work.choices.chance(work.policy.narrowCast)) {
    return applyCast(work, index, DataType::Float);
  }
  return index;
}

size_t newInput(Workspace& work, DataType dtype, const std::vector<AxisPlan>& shape, const Recipe& recipe,
                const Estimate& estimate) {
  TensorView* tensor = addInput(work, dtype, shape);
  work.inputs.push_back({tensor, recipe, {}, true});
  return work.keep(tensor, estimate);
}

size_t drawSource(Workspace& work) {
  const std::vector<AxisPlan> shape = drawShape(work);
  return newSource(work, work.drawDtype(), shape);
}

bool redrawInput(Workspace& work, size_t index, const std::function<bool(const Estimate&)>& fits) {
  TensorValue& value = work.tensors[index];
  const auto plan = std::find_if(work.inputs.begin(), work.inputs.end(),
                                 [&](const InputPlan& each) { return each.input == value.tensor; });
  const bool isFree = plan != work.inputs.end() && value.tensor->uses().empty() && !plan->isIndex && !plan->isOdd &&
                      !value.estimate.wild && isFloating(value.tensor->dtype()) && !work.options.exactData;
  if (!isFree) return false;
  std::vector<Recipe> fitting;
  for (const auto& range : kFloatRanges) {
    if (fits(estimateOf(uniform(range)))) fitting.push_back(uniform(range));
  }
  if (fitting.empty()) return false;
  plan->recipe = work.choices.pick(fitting);
  value.estimate = estimateOf(plan->recipe);
  return true;
}

ScalarEntry newHostElement(Workspace& work, DataType dtype) {
  const DataType scalarType = isFloating(dtype)         ? DataType::Double
                              : dtype == DataType::Bool ? DataType::Bool
                                                        : DataType::Int64;
  std::array<ScalarValue, kRuns> values = drawScalarValues(work, scalarType);
  for (ScalarValue& value : values) {
    // As the dtype holds it.
    dispatch(dtype, [&]<class Storage>() {
      const Storage element = value.as<Storage>();
      value = elementAt(dtype, &element);
    });
  }
  return newHostElement(work, dtype, values);
}

ScalarEntry newHostElement(Workspace& work, DataType dtype, const std::array<ScalarValue, kRuns>& values) {
  TensorView* tensor = build::hostInput(*work.fusion, dtype, work.freshName());
  work.inputs.push_back({tensor, {}, values});
  return work.keepScalar(build::item(*work.fusion, tensor, work.freshName()), values);
}

ScalarEntry newScalarInput(Workspace& work, DataType dtype) {
  const std::array<ScalarValue, kRuns> values = drawScalarValues(work, dtype);
  Scalar* scalar = work.fusion->newScalar(dtype, work.freshName());
  work.fusion->addInput(scalar);
  work.inputs.push_back({scalar, {}, values});
  return work.keepScalar(scalar, values);
}

std::vector<Run> makeRuns(Workspace& work) {
  drawExactTerms(work);
  drawPeaks(work);
  std::vector<Run> runs;
  for (size_t run = 0; run < work.policy.runs; ++run) {
    Run& newRun = runs.emplace_back();
    newRun.expectation = expectationOf(work, run);
    for (const InputPlan& plan : work.inputs) {
      RunInput input{plan.input->name(), plan.scalar[run]};
      if (plan.input->isTensor()) input.value = makeTensorInput(work, plan, run);
      newRun.inputs.push_back(std::move(input));
    }
  }
  if (runs.size() > 1 && work.choices.chance(work.policy.onesMeet > 0 ? 0.5 : 0.05)) repeatRun(work, runs);
  return runs;
}

}  // namespace fuser::fuzz
