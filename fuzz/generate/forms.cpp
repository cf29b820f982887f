// Names with attributes of PyTorch's that an op here does not have, and names for one tensor of one value: the text
// makes them of several ops (fuser/text/expanded_attributes.cpp, expanded_fills.cpp).

#include <algorithm>
#include <cmath>
#include <optional>

#include "fuzz/generate/composed_name.h"
#include "fuzz/generate/exact_draws.h"

namespace fuser::fuzz {
namespace {

using text::Given;
using text::GivenAttributes;
using text::NamedAttributes;

struct FormOperand {
  TensorValue value;
  DataType dtype;
};

template <class Suits>
std::optional<FormOperand> drawFormOperand(Workspace& work, Suits suits) {
  const int64_t found =
      drawTensor(work, [&](const TensorValue& value) { return isPlain(value) && suits(value.tensor->dtype()); });
  if (found < 0) return std::nullopt;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  return FormOperand{value, value.tensor->dtype()};
}

bool isNumber(DataType dtype) { return dtype != DataType::Bool; }

// Keeps an op's own name, with the attributes that make it a form of several ops.
void keepForm(Workspace& work, std::string_view name, const std::vector<Val*>& operands,
              const NamedAttributes& attributes, const GivenAttributes& given, const Estimate& estimate) {
  const text::Expansion* expansion = text::findExpansion(name, 1, [&] { return given; });
  work.composed.emplace_back(name);
  TensorView* result = expansion->build(*work.fusion, operands, attributes, work.freshName());
  work.keep(result, convertEstimate(estimate, result->dtype(), result->dtype()));
}

// Two tensors of one shape. nullopt: none fits.
struct FormPair {
  FormOperand first;
  TensorValue second;
};
template <class Suits>
std::optional<FormPair> drawFormPair(Workspace& work, Suits suits) {
  const std::optional<FormOperand> first = drawFormOperand(work, suits);
  if (!first || !work.policy.inputs || !work.affordable(first->value.sizes)) return std::nullopt;
  return FormPair{*first, work.tensors[newNumbers(work, first->dtype, axesOf(first->value))]};
}

void setFactor(Workspace& work, NamedAttributes& attributes, AttributeName name, DataType dtype, int64_t factor) {
  const ScalarValue number = isFloating(dtype) ? ScalarValue(static_cast<double>(factor) / 2) : ScalarValue(factor);
  attributes.setOperand(name, work.fusion->newConstant(number));
}

// add and sub with an alpha.
bool drawScaled(Workspace& work, std::string_view name) {
  const std::optional<FormPair> pair =
      drawFormPair(work, [](DataType dtype) { return isNumber(dtype) && !isUnsigned(dtype); });
  if (!pair) return false;
  const int64_t factor = work.choices.integer(-3, 3);
  NamedAttributes attributes;
  setFactor(work, attributes, AttributeName::alpha, pair->first.dtype, factor);
  const double magnitude = pair->first.value.estimate.magnitude() + 3 * pair->second.estimate.magnitude();
  keepForm(work, name, {pair->first.value.tensor, pair->second.tensor}, attributes, {{"alpha", Given::Other}},
           withinMagnitude(magnitude));
  return true;
}

// addcmul and addcdiv with a value; what divides is at least 1.
bool drawAddedBy(Workspace& work, std::string_view name) {
  const bool divides = name == "addcdiv";
  const std::optional<FormPair> pair = drawFormPair(
      work, [&](DataType dtype) { return divides ? isFloating(dtype) : isNumber(dtype) && !isUnsigned(dtype); });
  if (!pair) return false;
  const DataType dtype = pair->first.dtype;
  const TensorValue third = work.tensors[newNumbersWithin(work, dtype, axesOf(pair->first.value), 1, 3)];
  NamedAttributes attributes;
  setFactor(work, attributes, AttributeName::value, dtype, work.choices.integer(-3, 3));
  const double magnitude = pair->first.value.estimate.magnitude() + 9 * pair->second.estimate.magnitude();
  keepForm(work, name, {pair->first.value.tensor, pair->second.tensor, third.tensor}, attributes,
           {{"value", Given::Other}}, withinMagnitude(magnitude));
  return true;
}

bool drawRounded(Workspace& work, std::string_view name) {
  const std::optional<FormOperand> operand = drawFormOperand(work, isFloating);
  if (!operand) return false;
  NamedAttributes attributes;
  attributes.set(AttributeName::decimals, Attributes().setNumber(AttributeName::decimals, work.choices.integer(-2, 3)));
  // A 16-bit float has no 1000 times its largest numbers.
  Estimate estimate = withinMagnitude(1000 * operand->value.estimate.magnitude() + 100);
  if (!isSane(estimate, operand->dtype)) return false;
  estimate = withinMagnitude(operand->value.estimate.magnitude() + 100);
  keepForm(work, name, {operand->value.tensor}, attributes, {{"decimals", Given::Other}}, estimate);
  return true;
}

bool drawLogitWithin(Workspace& work, std::string_view name) {
  const std::optional<FormOperand> operand = drawFormOperand(work, isFloating);
  if (!operand) return false;
  constexpr double kBounds[] = {0.25, 0.0625, 0.001};
  NamedAttributes attributes;
  setNumber(work, attributes, AttributeName::eps, work.choices.pick(kBounds));
  keepForm(work, name, {operand->value.tensor}, attributes, {{"eps", Given::Other}}, withinMagnitude(8));
  return true;
}

// clamp, clamp_min and clamp_max with tensors; clamp with one bound, too.
bool drawBounded(Workspace& work, std::string_view name) {
  const std::optional<FormPair> pair = drawFormPair(work, isNumber);
  if (!pair) return false;
  NamedAttributes attributes;
  GivenAttributes given;
  const bool isOfScalar = name == "clamp" && work.choices.chance(0.3);
  Val* bound = isOfScalar ? static_cast<Val*>(work.fusion->newConstant(
                                isFloating(pair->first.dtype) ? ScalarValue(1.0) : ScalarValue(int64_t{1})))
                          : pair->second.tensor;
  const bool isLow = name == "clamp" ? work.choices.chance(0.5) : name == "clamp_min";
  const auto set = [&](AttributeName which, std::string_view text) {
    attributes.setOperand(which, bound);
    given[text] = isOfScalar ? Given::Other : Given::Tensor;
  };
  if (isLow) set(AttributeName::min, "min");
  if (!isLow || (name == "clamp" && !isOfScalar && work.choices.chance(0.3))) set(AttributeName::max, "max");
  const Estimate estimate = hull(pair->first.value.estimate, hull(pair->second.estimate, {0, 1, true, false}));
  keepForm(work, name, {pair->first.value.tensor}, attributes, given, estimate);
  return true;
}

// --- reductions ---

struct ReducedForm {
  FormOperand operand;
  NamedAttributes attributes;
  size_t axis = 0;
  double terms = 1;
};

// Of one axis with an element in each run.
template <class Suits>
std::optional<ReducedForm> drawReducedForm(Workspace& work, Suits suits) {
  const std::optional<FormOperand> operand = drawFormOperand(work, suits);
  if (!operand || operand->value.tensor->rank() == 0) return std::nullopt;
  const size_t axis = work.choices.index(operand->value.tensor->rank());
  const Sizes sizes = sizesAlong(operand->value, axis);
  ReducedForm reduced{*operand, {}, axis, static_cast<double>(std::max(sizes[0], sizes[1]))};
  reduced.attributes.set(AttributeName::dims, Attributes().dims({static_cast<int64_t>(axis)}));
  reduced.attributes.setFlag(AttributeName::keepdim, work.choices.chance(0.5));
  return reduced;
}

// sum, prod and mean in a given dtype.
bool drawReducedIn(Workspace& work, std::string_view name) {
  std::optional<ReducedForm> reduced = drawReducedForm(work, isNumber);
  if (!reduced) return false;
  constexpr DataType kDtypes[] = {DataType::Double, DataType::Float, DataType::Int64, DataType::Int32};
  const DataType dtype = work.choices.pick(kDtypes);
  const Estimate& own = reduced->operand.value.estimate;
  const bool isWhole = !isFloating(dtype);
  if (isWhole && (name == "mean" || isFloating(reduced->operand.dtype))) return false;
  if (work.options.exactData) {
    const OpKind op = name == "sum" ? OpKind::Sum : OpKind::Prod;
    if (name == "mean" || !combinesExactly(op, own, dtype, static_cast<int64_t>(reduced->terms))) return false;
  }
  double magnitude = own.magnitude() * reduced->terms;
  if (name == "prod") magnitude = std::pow(std::max(own.magnitude(), 1.0), reduced->terms);
  reduced->attributes.set(AttributeName::dtype, Attributes().dtype(dtype));
  keepForm(work, name, {reduced->operand.value.tensor}, reduced->attributes, {{"dtype", Given::Other}},
           withinMagnitude(magnitude));
  return true;
}

// cumsum and cumprod in a given dtype: each element is of the terms so far.
bool drawScannedIn(Workspace& work, std::string_view name) {
  const std::optional<ReducedForm> reduced = drawReducedForm(work, isNumber);
  if (!reduced) return false;
  const TensorValue& value = reduced->operand.value;
  constexpr DataType kDtypes[] = {DataType::Double, DataType::Float, DataType::Int64};
  const DataType dtype = work.choices.pick(kDtypes);
  if (!isFloating(dtype) && isFloating(reduced->operand.dtype)) return false;
  const OpKind op = name == "cumsum" ? OpKind::Sum : OpKind::Prod;
  const double magnitude = value.estimate.magnitude();
  if (work.options.exactData && !combinesExactly(op, value.estimate, dtype, static_cast<int64_t>(reduced->terms))) {
    return false;
  }
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim, reduced->axis);
  attributes.set(AttributeName::dtype, Attributes().dtype(dtype));
  keepNamed(work, name, {value.tensor}, attributes,
            withinMagnitude(name == "cumsum" ? magnitude * reduced->terms
                                             : std::pow(std::max(magnitude, 1.0), reduced->terms)));
  return true;
}

// cummax and cummin: the values so far, and where they are.
bool drawExtremesSoFar(Workspace& work, std::string_view name) {
  const std::optional<ReducedForm> reduced =
      drawReducedForm(work, [&](DataType dtype) { return isNumber(dtype) && acceptsDtype(OpKind::Cummax, dtype); });
  if (!reduced) return false;
  const TensorValue& value = reduced->operand.value;
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim, reduced->axis);
  const std::vector<std::string> names{work.freshName(), work.freshName()};
  work.composed.emplace_back(name);
  const std::vector<TensorView*> results =
      text::findExpansion(name)->several(*work.fusion, {value.tensor}, attributes, names);
  work.keep(results[0], value.estimate);
  work.keep(results[1], {0, reduced->terms - 1, true, false});
  return true;
}

// With indices, or of all elements.
bool drawExtreme(Workspace& work, std::string_view name) {
  std::optional<ReducedForm> reduced = drawReducedForm(work, isNumber);
  if (!reduced) return false;
  const FormOperand& operand = reduced->operand;
  if (work.choices.chance(0.3)) {
    keepNamed(work, name, {operand.value.tensor}, {}, operand.value.estimate);
    return true;
  }
  const text::Expansion* expansion = text::findExpansion(name, 2);
  work.composed.emplace_back(name);
  const std::string first = work.freshName(), second = work.freshName();
  work.keep(expansion->build(*work.fusion, {operand.value.tensor}, reduced->attributes, first), operand.value.estimate);
  work.keep(expansion->second(*work.fusion, {operand.value.tensor}, reduced->attributes, second),
            {0, reduced->terms - 1, true, false});
  return true;
}

// A variance of more elements than the correction says; std_mean and var_mean have two results.
bool drawDeviation(Workspace& work, std::string_view name) {
  std::optional<ReducedForm> reduced = drawReducedForm(work, isFloating);
  if (!reduced) return false;
  const FormOperand& operand = reduced->operand;
  setNumber(work, reduced->attributes, AttributeName::correction, work.choices.chance(0.5) ? 0.5 : 0.25);
  const GivenAttributes given{{"correction", Given::Real}};
  const size_t results = name == "var" ? 1 : 2;
  const text::Expansion* expansion = text::findExpansion(name, results, [&] { return given; });
  const double square = 4 * std::pow(operand.value.estimate.magnitude(), 2) + 1;
  work.composed.emplace_back(name);
  const std::string first = work.freshName(), second = results == 2 ? work.freshName() : std::string();
  work.keep(expansion->build(*work.fusion, {operand.value.tensor}, reduced->attributes, first),
            {0, name == "std_mean" ? std::sqrt(square) : square, true, false});
  if (results == 2) {
    work.keep(expansion->second(*work.fusion, {operand.value.tensor}, reduced->attributes, second),
              operand.value.estimate);
  }
  return true;
}

// any and all of bytes, which are bytes.
bool drawTruthOfBytes(Workspace& work, std::string_view name) {
  const std::optional<ReducedForm> reduced =
      drawReducedForm(work, [](DataType dtype) { return dtype == DataType::UInt8; });
  if (!reduced) return false;
  keepForm(work, name, {reduced->operand.value.tensor}, reduced->attributes, {{text::kFirstIsBytes, Given::Tensor}},
           {0, 1, true, false});
  return true;
}

// --- slices, scatters and fills ---

bool drawSlicedAxes(Workspace& work, std::string_view name) {
  const std::optional<FormOperand> operand = drawFormOperand(work, [](DataType) { return true; });
  if (!operand || operand->value.tensor->rank() == 0) return false;
  IntExprArena& ints = work.fusion->ints();
  std::vector<int64_t> dims;
  std::vector<IntExpr> starts, ends;
  for (size_t axis = 0; axis < operand->value.tensor->rank(); ++axis) {
    if (!dims.empty() && work.choices.chance(0.5)) continue;
    dims.push_back(static_cast<int64_t>(axis));
    starts.push_back(ints.constant(work.choices.integer(-2, 1)));
    ends.push_back(ints.constant(work.choices.chance(0.5) ? 1000000 : -1));
  }
  NamedAttributes attributes;
  attributes.set(AttributeName::dims, Attributes().dims(dims));
  attributes.set(AttributeName::starts, Attributes().setIntegers(AttributeName::starts, starts));
  attributes.set(AttributeName::ends, Attributes().setIntegers(AttributeName::ends, ends));
  keepForm(work, name, {operand->value.tensor}, attributes, {{"starts", Given::Other}}, operand->value.estimate);
  return true;
}

// One value at all indices, which have the tensor's axes.
bool drawScatteredValue(Workspace& work, std::string_view name) {
  const std::optional<FormOperand> operand = drawFormOperand(work, [](DataType) { return true; });
  if (!operand || operand->value.tensor->rank() == 0 || !work.policy.inputs) return false;
  const TensorValue& value = operand->value;
  const size_t dim = work.choices.index(value.tensor->rank());
  const Sizes sizes = sizesAlong(value, dim);
  constexpr int64_t kMostIndices = 9, kMostSteps = 1 << 16;
  std::vector<AxisPlan> shape = axesOf(value);
  shape[dim] = axisOf({work.choices.integer(0, kMostIndices), work.choices.integer(0, kMostIndices)});
  if (!work.affordable(sizesOf(shape))) return false;
  if (std::max(numel(value.sizes[0]), numel(value.sizes[1])) * kMostIndices > kMostSteps) return false;
  const TensorValue indices = work.tensors[newNumbersWithin(work, DataType::Int64, shape, 0,
                                                            static_cast<double>(std::min(sizes[0], sizes[1]) - 1))];
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim, dim);
  setNumber(work, attributes, AttributeName::value, 1);
  keepForm(work, name, {value.tensor, indices.tensor}, attributes, {{"value", Given::Other}},
           hull(value.estimate, {1, 1, true, false}));
  return true;
}

bool drawFill(Workspace& work, std::string_view name) {
  NamedAttributes attributes;
  const DataType dtype = work.drawDtype();
  const double number = name.starts_with("zeros") ? 0 : 1;
  std::vector<Val*> operands;
  if (name.ends_with("_like")) {
    const std::optional<FormOperand> operand = drawFormOperand(work, [](DataType) { return true; });
    if (!operand) return false;
    operands.push_back(operand->value.tensor);
    setNumber(work, attributes, AttributeName::fill_value, number);
    if (work.choices.chance(0.5)) attributes.set(AttributeName::dtype, Attributes().dtype(dtype));
  } else {
    const std::vector<AxisPlan> plan = drawShape(work);
    if (!work.affordable(sizesOf(plan))) return false;
    std::vector<IntExpr> shape;
    for (const AxisPlan& axis : plan) shape.push_back(drawExtent(work, axis.sizes));
    if (std::find(shape.begin(), shape.end(), nullptr) != shape.end()) return false;
    attributes.set(AttributeName::shape, Attributes().shape(std::move(shape)));
    attributes.set(AttributeName::dtype, Attributes().dtype(dtype));
  }
  keepNamed(work, name, operands, attributes, {number, number, true, false});
  return true;
}

constexpr DrawnName kForms[] = {
    {{"add", "%y = add(%x, %v) {alpha = 0.5}", false}, drawScaled},
    {{"sub", "%y = sub(%x, %v) {alpha = 0.5}", false}, drawScaled},
    {{"addcmul", "%y = addcmul(%x, %v, %v) {value = 0.5}", false}, drawAddedBy},
    {{"addcdiv", "%y = addcdiv(%x, %v, %v) {value = 0.5}", false}, drawAddedBy},
    {{"round", "%y = round(%x) {decimals = 1}", false}, drawRounded},
    {{"logit", "%y = logit(%x) {eps = 0.25}", false}, drawLogitWithin},
    {{"clamp", "%y = clamp(%x) {min = %v, max = %v}\n%z = clamp(%x) {min = 1.0}\n%u = clamp(%x) {max = 1.0}", true},
     drawBounded},
    {{"clamp_min", "%y = clamp_min(%x) {min = %v}", true}, drawBounded},
    {{"clamp_max", "%y = clamp_max(%x) {max = %v}", true}, drawBounded},
    {{"sum", "%y = sum(%k) {dims = [1], keepdim = true, dtype = i32}", true}, drawReducedIn},
    {{"prod", "%y = prod(%k) {dims = [1], keepdim = true, dtype = i32}", true}, drawReducedIn},
    {{"mean", "%y = mean(%x) {dims = [1], keepdim = true, dtype = f32}", false}, drawReducedIn},
    {{"cumsum", "%y = cumsum(%k) {dim = 1, dtype = f32}", true}, drawScannedIn},
    {{"cumprod", "%y = cumprod(%k) {dim = 1, dtype = f32}", true}, drawScannedIn},
    {{"cummax", "%y, %z = cummax(%x) {dim = 1}", true}, drawExtremesSoFar},
    {{"cummin", "%y, %z = cummin(%x) {dim = 1}", true}, drawExtremesSoFar},
    {{"max", "%y, %z = max(%x) {dims = [1], keepdim = true}", true}, drawExtreme},
    {{"min", "%y, %z = min(%x) {dims = [1], keepdim = true}", true}, drawExtreme},
    {{"std_mean", "%y, %z = std_mean(%x) {dims = [1], keepdim = true, correction = 0.5}", false}, drawDeviation},
    {{"var", "%y = var(%x) {dims = [1], correction = 0.5, keepdim = true}", false}, drawDeviation},
    {{"var_mean", "%y, %z = var_mean(%x) {dims = [1], keepdim = true, correction = 0.5}", false}, drawDeviation},
    {{"any", "%b = cast(%k) {dtype = u8}\n%y = any(%b) {dims = [1], keepdim = true}", true}, drawTruthOfBytes},
    {{"all", "%b = cast(%k) {dtype = u8}\n%y = all(%b) {dims = [1], keepdim = true}", true}, drawTruthOfBytes},
    {{"slice", "%y = slice(%x) {dims = [0, 1], starts = [0, 0], ends = [1, 1]}", true}, drawSlicedAxes},
    {{"scatter", "%y = scatter(%x, %k) {dim = 1, value = 1.0}", true}, drawScatteredValue},
    {{"zeros", "%y = zeros() {shape = [i0, 2]}", true}, drawFill},
    {{"ones", "%y = ones() {shape = [i0, 2]}", true}, drawFill},
    {{"zeros_like", "%y = zeros_like(%x)", true}, drawFill},
    {{"ones_like", "%y = ones_like(%x)", true}, drawFill},
    {{"full_like", "%y = full_like(%x) {fill_value = 1.0}", true}, drawFill},
};

}  // namespace

bool drawForm(Workspace& work) { return drawOneOf(work, kForms); }

}  // namespace fuser::fuzz
