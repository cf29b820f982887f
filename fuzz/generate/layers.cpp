// Layers of models: norms with factors and terms of their own, losses, gates, attention (fuser/text/expanded_norms.cpp,
// expanded_losses.cpp, expanded_composites.cpp, expanded_attention.cpp). What they take beside a tensor are new inputs.

#include <algorithm>
#include <cmath>
#include <optional>

#include "fuzz/generate/composed_name.h"

namespace fuser::fuzz {
namespace {

using text::NamedAttributes;

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
  keepNamed(work, name, {value.tensor}, attributes, withinMagnitude(magnitude));
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
  keepNamed(work, name, {value.tensor}, attributes, withinMagnitude(magnitude));
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
  keepNamed(work, name, {value.tensor}, attributes, withinMagnitude(magnitude));
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
  keepNamed(work, name, {value.tensor, target.tensor}, attributes, {0, most, true, false});
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
  if (!work.affordable(sizesOf(places)) || !work.affordable(value.sizes)) return false;
  const bool hasShares = name == "cross_entropy" && choices.chance(0.3);  // targets are shares of all classes
  const TensorValue target =
      work.tensors[hasShares ? newNumbersWithin(work, value.tensor->dtype(), axesOf(value), 0, 1)
                             : newNumbersWithin(work, DataType::Int64, places, 0, static_cast<double>(last))];
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
  if (hasShares) magnitude *= static_cast<double>(last + 1);
  if (!hasShares && choices.chance(0.3)) {  // the mean of none is NaN
    attributes.set(AttributeName::ignore_index, Attributes().ignore_index(choices.integer(0, last)));
    isWild = reduction == "mean";
  }
  setNumber(work, attributes, AttributeName::label_smoothing, choices.chance(0.3) ? 0.1 : 0);
  magnitude = 2 * (magnitude + std::log(elementsOf(value) + 1)) * (reduction == "sum" ? elementsOf(value) : 1);
  Estimate estimate = withinMagnitude(magnitude);
  estimate.wild = isWild;
  keepNamed(work, name, {value.tensor, target.tensor}, attributes, estimate);
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
  keepNamed(work, name, {value.tensor}, attributes,
            withinMagnitude(name == "glu" ? magnitude : magnitude * magnitude + 1));
  return true;
}

Sizes drawFewPlaces(Choices& choices) {
  constexpr int64_t kPlaces[] = {9, 1, 4, 7, 16, 17, 24};
  const int64_t size = choices.pick(kPlaces);
  return {size, choices.chance(0.3) ? choices.pick(kPlaces) : size};
}

// Keys and values for queries: of their heads, or of some, each of which several heads of the queries share.
struct KeysAndValues {
  std::vector<AxisPlan> keys, values;
  AxisPlan places;
};
std::optional<KeysAndValues> drawKeys(Workspace& work, const TensorValue& query, int64_t sharing) {
  const std::vector<AxisPlan> own = axesOf(query);
  KeysAndValues drawn{own, own, axisOf(drawFewPlaces(work.choices))};
  drawn.keys[own.size() - 2] = drawn.values[own.size() - 2] = drawn.places;
  drawn.values.back() = axisOf(drawFewPlaces(work.choices));
  for (std::vector<AxisPlan>* shape : {&drawn.keys, &drawn.values}) {
    for (int64_t& size : (*shape)[sharing > 1 ? own.size() - 3 : 0].sizes) size /= sharing;
  }
  std::array<Dims, kRuns> scores = query.sizes, sums = query.sizes;  // all terms of both products
  for (size_t run = 0; run < kRuns; ++run) {
    scores[run].push_back(drawn.places.sizes[run]);
    sums[run][own.size() - 1] = drawn.places.sizes[run];
    sums[run].push_back(drawn.values.back().sizes[run]);
  }
  const bool fits = work.affordable(scores) && work.affordable(sums) && work.affordable(sizesOf(drawn.keys)) &&
                    work.affordable(sizesOf(drawn.values));
  return fits ? std::optional(drawn) : std::nullopt;
}

// A number of heads that share one, of those that divide the queries' heads in each run; 1: they have none to share.
int64_t drawSharing(Choices& choices, const TensorValue& query) {
  const size_t rank = query.tensor->rank();
  std::vector<int64_t> divisors;
  for (int64_t divisor = 2; rank >= 3 && divisor <= 8; ++divisor) {
    const Sizes heads = sizesAlong(query, rank - 3);
    if (heads[0] % divisor == 0 && heads[1] % divisor == 0) divisors.push_back(divisor);
  }
  return divisors.empty() ? 1 : choices.pick(divisors);
}

void drawMask(Workspace& work, const TensorValue& query, const AxisPlan& places, NamedAttributes& attributes) {
  constexpr double kMasks[] = {/*none*/ 0.4, /*causal*/ 0.3, /*bools*/ 0.2, /*terms*/ 0.1};
  const size_t mask = work.choices.weighted(kMasks);
  attributes.setFlag(AttributeName::is_causal, mask == 1);
  if (mask < 2) return;
  const std::vector<AxisPlan> shape{axisOf(sizesAlong(query, query.tensor->rank() - 2)), places};
  const size_t drawn =
      mask == 2 ? newNumbersWithin(work, DataType::Bool, shape, 0, 1) : newNumbers(work, query.tensor->dtype(), shape);
  attributes.setOperand(AttributeName::attn_mask, work.tensors[drawn].tensor);
}

std::optional<TensorValue> drawQuery(Workspace& work) {
  const int64_t found = drawTensor(work, [](const TensorValue& value) {
    constexpr int64_t kMost = 40;
    const size_t rank = value.tensor->rank();
    if (!isPlain(value) || !isFloating(value.tensor->dtype()) || rank < 2 || rank > 4) return false;
    return std::all_of(value.sizes.begin(), value.sizes.end(),
                       [&](const Dims& sizes) { return sizes[rank - 1] <= kMost && sizes[rank - 2] <= kMost; });
  });
  return found < 0 ? std::nullopt : std::optional(work.tensors[static_cast<size_t>(found)]);
}

bool drawAttention(Workspace& work, std::string_view name) {
  Choices& choices = work.choices;
  const std::optional<TensorValue> query = drawQuery(work);
  if (!query) return false;
  const DataType dtype = query->tensor->dtype();
  const int64_t sharing = choices.chance(0.3) ? drawSharing(choices, *query) : 1;
  const std::optional<KeysAndValues> drawn = drawKeys(work, *query, sharing);
  if (!drawn) return false;
  const TensorValue k = work.tensors[newNumbersWithin(work, dtype, drawn->keys, -1, 1)];
  const TensorValue v = work.tensors[newNumbersWithin(work, dtype, drawn->values, -3, 3)];
  NamedAttributes attributes;
  attributes.setFlag(AttributeName::enable_gqa, sharing > 1);
  drawMask(work, *query, drawn->places, attributes);
  if (choices.chance(0.3)) setNumber(work, attributes, AttributeName::scale, 0.25);
  keepNamed(work, name, {query->tensor, k.tensor, v.tensor}, attributes, withinMagnitude(3));
  return true;
}

// With some of the weights dropped: a random name of its own.
bool drawAttentionWithDropout(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> query = drawQuery(work);
  if (!query) return false;
  const std::optional<KeysAndValues> drawn = drawKeys(work, *query, 1);
  if (!drawn) return false;
  const DataType dtype = query->tensor->dtype();
  const TensorValue k = work.tensors[newNumbersWithin(work, dtype, drawn->keys, -1, 1)];
  const TensorValue v = work.tensors[newNumbersWithin(work, dtype, drawn->values, -3, 3)];
  constexpr double kShares[] = {0.5, 0.25, 0.0};
  NamedAttributes attributes;
  setNumber(work, attributes, AttributeName::dropout_p, work.choices.pick(kShares));
  attributes.setOperand(AttributeName::seed, work.fusion->newConstant(ScalarValue(work.choices.integer(-9, 9))));
  attributes.setOperand(AttributeName::offset, work.fusion->newConstant(ScalarValue(work.randomOps++)));
  keepNamed(work, name, {query->tensor, k.tensor, v.tensor}, attributes, withinMagnitude(6));
  return true;
}

constexpr DrawnName kLayers[] = {
    {{"layer_norm", "%y = layer_norm(%x, %q, %q) {normalized_shape = [i2]}", false}, drawLastAxesNorm},
    {{"rms_norm", "%y = rms_norm(%x, %q) {normalized_shape = [i2]}", false}, drawLastAxesNorm},
    {{"group_norm", "%y = group_norm(%x, %q, %q) {num_groups = 2}", false}, drawGroupNorm},
    {{"batch_norm", "%y = batch_norm(%x, %q, %q, %q, %q)\n%z = batch_norm(%x) {training = true}", false},
     drawChannelNorm},
    {{"instance_norm", "%y = instance_norm(%x) {weight = %q, bias = %q}", false}, drawChannelNorm},
    {{"mse_loss", "%y = mse_loss(%x, %v)\n%z = mse_loss(%x, %v) {reduction = sum}", true}, drawSquaresLoss},
    {{"nll_loss", "%y = nll_loss(%x, %r, %q)", true}, drawClassLoss},
    {{"cross_entropy", "%y = cross_entropy(%x, %r, %q) {label_smoothing = 0.1}\n%z = cross_entropy(%x, %s, %q)", false},
     drawClassLoss},
    {{"glu", "%y = glu(%x)", false}, drawGate},
    {{"swiglu", "%y = swiglu(%x)", false}, drawGate},
    {{"scaled_dot_product_attention",
      "%y = scaled_dot_product_attention(%x, %s, %s) {is_causal = true}\n"
      "%z = scaled_dot_product_attention(%x, %s, %s) {attn_mask = %m, scale = 0.5, enable_gqa = true}",
      false},
     drawAttention},
    {{"scaled_dot_product_attention", "%y = scaled_dot_product_attention(%x, %s, %s) {dropout_p = 0.5}", false},
     drawAttentionWithDropout},
};

}  // namespace

bool drawLayer(Workspace& work) { return work.policy.inputs && drawOneOf(work, kLayers); }

}  // namespace fuser::fuzz
