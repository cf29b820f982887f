// Layers of models: norms with factors and terms of their own, losses, gates, attention (fuser/text/expanded_norms.cpp,
// expanded_losses.cpp, expanded_composites.cpp, expanded_attention.cpp). What they take beside a tensor are new inputs.

#include <algorithm>
#include <cmath>

#include "fuser/text/expansions.h"
#include "fuzz/generate/composed_name.h"

namespace fuser::fuzz {
namespace {

using text::NamedAttributes;

struct LayerName : ComposedName {
  bool (*draw)(Workspace& work, std::string_view name);
};

void setNumber(Workspace& work, NamedAttributes& attributes, AttributeName name, double number) {
  attributes.setOperand(name, work.fusion->newConstant(ScalarValue(number)));
}

void keepLayer(Workspace& work, std::string_view name, const std::vector<Val*>& operands,
               const NamedAttributes& attributes, const Estimate& estimate) {
  work.composed.push_back(name);
  TensorView* result = text::findExpansion(name)->build(*work.fusion, operands, attributes, work.freshName());
  work.keep(result, convertEstimate(estimate, result->dtype(), result->dtype()));
}

Estimate within(double magnitude) { return {-magnitude, magnitude, true, false}; }

// A tensor of floats with at least so many axes; -1: there is none.
int64_t drawReal(Workspace& work, size_t least, size_t most = kMaxRank) {
  return drawTensor(work, [&](const TensorValue& value) {
    const size_t rank = value.tensor->rank();
    return isPlain(value) && isFloating(value.tensor->dtype()) && rank >= least && rank <= most;
  });
}

// Of the elements of axes, whose number is so many: each normalized one is at most its root.
double normalOf(const TensorValue& value, size_t firstAxis) {
  double elements = 1;
  for (size_t axis = firstAxis; axis < value.tensor->rank(); ++axis) {
    elements *= static_cast<double>(std::max(value.sizes[0][axis], value.sizes[1][axis]));
  }
  return 2 * std::sqrt(elements) + 1;
}

// A factor and a term of these axes, each there or not; the magnitude with them.
double drawAffine(Workspace& work, const TensorValue& value, const std::vector<AxisPlan>& axes, bool hasBias,
                  NamedAttributes& attributes, double magnitude) {
  const DataType dtype = value.tensor->dtype();
  if (work.choices.chance(0.6)) {
    const TensorValue weight = work.tensors[newNumbers(work, dtype, axes)];
    attributes.setOperand(AttributeName::weight, weight.tensor);
    magnitude *= weight.estimate.magnitude();
  }
  if (hasBias && work.choices.chance(0.5)) {
    const TensorValue bias = work.tensors[newNumbers(work, dtype, axes)];
    attributes.setOperand(AttributeName::bias, bias.tensor);
    magnitude += bias.estimate.magnitude();
  }
  return magnitude;
}

// --- norms ---

bool drawLastAxesNorm(Workspace& work, std::string_view name) {
  const int64_t found = drawReal(work, 1);
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  const size_t rank = value.tensor->rank();
  const size_t first =
      rank - static_cast<size_t>(work.choices.integer(1, static_cast<int64_t>(std::min<size_t>(rank, 3))));
  std::vector<AxisPlan> axes = axesOf(value);
  axes.erase(axes.begin(), axes.begin() + static_cast<ptrdiff_t>(first));
  NamedAttributes attributes;
  std::vector<IntExpr> shape;
  for (size_t axis = first; axis < rank; ++axis) shape.push_back(value.tensor->axes()[axis]->size());
  attributes.set(AttributeName::normalized_shape, Attributes().normalized_shape(shape));
  setNumber(work, attributes, AttributeName::eps, 1e-5);
  const bool hasBias = name == "layer_norm";
  const double magnitude = drawAffine(work, value, axes, hasBias, attributes, normalOf(value, first));
  keepLayer(work, name, {value.tensor}, attributes, within(magnitude));
  return true;
}

bool drawGroupNorm(Workspace& work, std::string_view name) {
  const int64_t found = drawReal(work, 2);
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  const Sizes channels = sizesAlong(value, 1);
  std::vector<int64_t> groups;
  for (int64_t number = 1; number <= 8; ++number) {
    if (channels[0] % number == 0 && channels[1] % number == 0) groups.push_back(number);
  }
  NamedAttributes attributes;
  attributes.set(AttributeName::num_groups, Attributes().num_groups(work.choices.pick(groups)));
  setNumber(work, attributes, AttributeName::eps, 1e-5);
  const double magnitude = drawAffine(work, value, {axisOf(channels)}, true, attributes, normalOf(value, 1));
  keepLayer(work, name, {value.tensor}, attributes, within(magnitude));
  return true;
}

// Of channels: with statistics of their own elements, or with given ones.
bool drawChannelNorm(Workspace& work, std::string_view name) {
  const bool isBatch = name == "batch_norm";
  const int64_t found = drawReal(work, isBatch ? 2 : 3);
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  const std::vector<AxisPlan> channels{axisOf(sizesAlong(value, 1))};
  const DataType dtype = value.tensor->dtype();
  NamedAttributes attributes;
  double magnitude = normalOf(value, 0);
  const bool isOwn = work.choices.chance(0.6);
  attributes.setFlag(isBatch ? AttributeName::training : AttributeName::use_input_stats, isOwn);
  if (!isOwn) {
    const TensorValue mean = work.tensors[newNumbersWithin(work, dtype, channels, -2, 2)];
    const TensorValue variance = work.tensors[newNumbersWithin(work, dtype, channels, 1, 3)];
    attributes.setOperand(AttributeName::running_mean, mean.tensor);
    attributes.setOperand(AttributeName::running_var, variance.tensor);
    magnitude = value.estimate.magnitude() + 2;
  }
  setNumber(work, attributes, AttributeName::eps, 1e-5);
  magnitude = drawAffine(work, value, channels, true, attributes, magnitude);
  keepLayer(work, name, {value.tensor}, attributes, within(magnitude));
  return true;
}

// --- losses ---

constexpr std::string_view kLossReductions[] = {"mean", "sum", "none"};

double elementsOf(const TensorValue& value) {
  return static_cast<double>(std::max(numel(value.sizes[0]), numel(value.sizes[1])));
}

bool drawSquaresLoss(Workspace& work, std::string_view name) {
  const int64_t found = drawReal(work, 0);
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  const std::vector<AxisPlan> shape = axesOf(value);
  if (!work.affordable(sizesOf(shape))) return false;
  const TensorValue target = work.tensors[newNumbers(work, value.tensor->dtype(), shape)];
  NamedAttributes attributes;
  attributes.setWord(AttributeName::reduction, work.choices.pick(kLossReductions));
  const double most = std::pow(value.estimate.magnitude() + target.estimate.magnitude(), 2) * elementsOf(value);
  keepLayer(work, name, {value.tensor, target.tensor}, attributes, {0, most, true, false});
  return true;
}

bool drawClassLoss(Workspace& work, std::string_view name) {
  Choices& choices = work.choices;
  const int64_t found = drawReal(work, 1, 4);
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  const size_t dim = value.tensor->rank() == 1 ? 0 : 1;
  std::vector<AxisPlan> places = axesOf(value);
  const AxisPlan classes = places[dim];
  places.erase(places.begin() + static_cast<ptrdiff_t>(dim));
  const int64_t last = std::min(classes.sizes[0], classes.sizes[1]) - 1;
  if (!work.affordable(sizesOf(places))) return false;
  const TensorValue target =
      work.tensors[newNumbersWithin(work, DataType::Int64, places, 0, static_cast<double>(last))];
  const std::string_view reduction = choices.pick(kLossReductions);
  NamedAttributes attributes;
  attributes.setWord(AttributeName::reduction, reduction);
  double magnitude = value.estimate.magnitude();
  if (choices.chance(0.4)) {
    const TensorValue weight = work.tensors[newNumbersWithin(work, value.tensor->dtype(), {classes}, 1, 2)];
    attributes.setOperand(AttributeName::weight, weight.tensor);
    magnitude *= 2;
  }
  bool isWild = false;
  if (choices.chance(0.3)) {  // the mean of none is NaN
    attributes.set(AttributeName::ignore_index, Attributes().ignore_index(choices.integer(0, last)));
    isWild = reduction == "mean";
  }
  setNumber(work, attributes, AttributeName::label_smoothing, choices.chance(0.3) ? 0.1 : 0);
  magnitude = 2 * (magnitude + std::log(elementsOf(value) + 1)) * (reduction == "sum" ? elementsOf(value) : 1);
  Estimate estimate = within(magnitude);
  estimate.wild = isWild;
  keepLayer(work, name, {value.tensor, target.tensor}, attributes, estimate);
  return true;
}

// --- gates and attention ---

bool drawGate(Workspace& work, std::string_view name) {
  const int64_t found = drawReal(work, 1, kMaxRank - 1);
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  std::vector<int64_t> even;
  for (size_t axis = 0; axis < value.tensor->rank(); ++axis) {
    if (value.sizes[0][axis] % 2 == 0 && value.sizes[1][axis] % 2 == 0) even.push_back(static_cast<int64_t>(axis));
  }
  if (even.empty()) return false;
  NamedAttributes attributes;
  attributes.set(AttributeName::dim, Attributes().setAxis(AttributeName::dim, work.choices.pick(even)));
  const double magnitude = value.estimate.magnitude();
  keepLayer(work, name, {value.tensor}, attributes, within(name == "glu" ? magnitude : magnitude * magnitude + 1));
  return true;
}

Sizes drawFewPlaces(Choices& choices) {
  constexpr int64_t kPlaces[] = {9, 1, 4, 7, 16, 17, 24};
  const int64_t size = choices.pick(kPlaces);
  return {size, choices.chance(0.3) ? choices.pick(kPlaces) : size};
}

bool drawAttention(Workspace& work, std::string_view name) {
  Choices& choices = work.choices;
  const auto isSmall = [](const TensorValue& value) {
    constexpr int64_t kMost = 40;
    const size_t rank = value.tensor->rank();
    if (!isPlain(value) || !isFloating(value.tensor->dtype()) || rank < 2 || rank > 4) return false;
    return std::all_of(value.sizes.begin(), value.sizes.end(),
                       [&](const Dims& sizes) { return sizes[rank - 1] <= kMost && sizes[rank - 2] <= kMost; });
  };
  const int64_t found = drawTensor(work, isSmall);
  if (found < 0) return false;
  const TensorValue query = work.tensors[static_cast<size_t>(found)];
  const DataType dtype = query.tensor->dtype();
  const std::vector<AxisPlan> own = axesOf(query);
  std::vector<AxisPlan> keys = own, values = own;
  const AxisPlan places = axisOf(drawFewPlaces(choices));
  keys[own.size() - 2] = values[own.size() - 2] = places;
  values.back() = axisOf(drawFewPlaces(choices));
  std::array<Dims, kRuns> scores = query.sizes, sums = query.sizes;  // all terms of both products
  for (size_t run = 0; run < kRuns; ++run) {
    scores[run].push_back(places.sizes[run]);
    sums[run][own.size() - 1] = places.sizes[run];
    sums[run].push_back(values.back().sizes[run]);
  }
  if (!work.affordable(scores) || !work.affordable(sums)) return false;
  if (!work.affordable(sizesOf(keys)) || !work.affordable(sizesOf(values))) return false;
  const TensorValue k = work.tensors[newNumbersWithin(work, dtype, keys, -1, 1)];
  const TensorValue v = work.tensors[newNumbersWithin(work, dtype, values, -3, 3)];
  NamedAttributes attributes;
  constexpr double kMasks[] = {/*none*/ 0.4, /*causal*/ 0.3, /*bools*/ 0.3};
  const size_t mask = choices.weighted(kMasks);
  attributes.setFlag(AttributeName::is_causal, mask == 1);
  if (mask == 2) {
    const std::vector<AxisPlan> shape{own[own.size() - 2], places};
    attributes.setOperand(AttributeName::attn_mask,
                          work.tensors[newNumbersWithin(work, DataType::Bool, shape, 0, 1)].tensor);
  }
  if (choices.chance(0.3)) setNumber(work, attributes, AttributeName::scale, 0.25);
  keepLayer(work, name, {query.tensor, k.tensor, v.tensor}, attributes, within(3));
  return true;
}

constexpr LayerName kLayers[] = {
    {{"layer_norm", "%y = layer_norm(%x, %q, %q) {normalized_shape = [i2]}", false}, drawLastAxesNorm},
    {{"rms_norm", "%y = rms_norm(%x, %q) {normalized_shape = [i2]}", false}, drawLastAxesNorm},
    {{"group_norm", "%y = group_norm(%x, %q, %q) {num_groups = 2}", false}, drawGroupNorm},
    {{"batch_norm", "%y = batch_norm(%x, %q, %q, %q, %q)\n%z = batch_norm(%x) {training = true}", false},
     drawChannelNorm},
    {{"instance_norm", "%y = instance_norm(%x) {weight = %q, bias = %q}", false}, drawChannelNorm},
    {{"mse_loss", "%y = mse_loss(%x, %v)\n%z = mse_loss(%x, %v) {reduction = sum}", true}, drawSquaresLoss},
    {{"nll_loss", "%y = nll_loss(%x, %r, %q)", true}, drawClassLoss},
    {{"cross_entropy", "%y = cross_entropy(%x, %r, %q) {label_smoothing = 0.1}", false}, drawClassLoss},
    {{"glu", "%y = glu(%x)", false}, drawGate},
    {{"swiglu", "%y = swiglu(%x)", false}, drawGate},
    {{"scaled_dot_product_attention",
      "%y = scaled_dot_product_attention(%x, %s, %s) {is_causal = true}\n"
      "%z = scaled_dot_product_attention(%x, %s, %s) {attn_mask = %m, scale = 0.5}",
      false},
     drawAttention},
};

}  // namespace

bool drawLayer(Workspace& work) {
  const LayerName& drawn = work.choices.pick(kLayers);
  return work.policy.inputs && mayDraw(work, drawn) && drawn.draw(work, drawn.name);
}

}  // namespace fuser::fuzz
