// Names that the text makes of other ops (fuser/text/expansions.h), beside products and random numbers. Here are those
// of one tensor along an axis: softmaxes, norms, orders, triangles. Their parts are ops like any other, in the
// combinations that models have.

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuser/text/expansions.h"
#include "fuzz/generate/composed_name.h"

namespace fuser::fuzz {
namespace {

constexpr double kLog2Of = 0.7;  // above log(2): log(n) is at most so many times log2(n)

struct Composed {
  Estimate estimate;
  double terms = 1;  // along its axis, at most
};

Estimate within(double low, double high) { return {low, high, true, false}; }

Estimate ofShares(const Composed&) { return within(0, 1); }
Estimate ofLogShares(const Composed& x) {
  return within(x.estimate.low - x.estimate.high - kLog2Of * std::log2(x.terms + 1) - 1, 1);
}
Estimate ofLogSum(const Composed& x) {
  return within(x.estimate.low, x.estimate.high + kLog2Of * std::log2(x.terms + 1) + 1);
}
Estimate ofNormal(const Composed& x) { return within(-2 * std::sqrt(x.terms) - 1, 2 * std::sqrt(x.terms) + 1); }
Estimate ofLength(const Composed& x) { return within(0, 2 * x.estimate.magnitude() * std::sqrt(x.terms) + 1); }
// Of any power: at most the sum of the sizes, or their number.
Estimate ofSizes(const Composed& x) { return within(0, (x.estimate.magnitude() + 1) * x.terms); }
Estimate ofCount(const Composed& x) { return within(0, x.terms); }
Estimate ofSame(const Composed& x) { return x.estimate; }
Estimate ofPart(const Composed& x) { return hull(x.estimate, within(0, 0)); }

// What stands in the braces, beside constants.
enum class Takes : uint8_t { Dim, Dims, LastAxis, Diagonal, DimAndK };

struct CompositeName : ComposedName {
  Takes takes;
  bool onlyFloats;
  bool ofPairs;  // of all pairs of the elements along its axis
  Estimate (*estimate)(const Composed&);
};
constexpr CompositeName kComposites[] = {
    {{"softmax", "%y = softmax(%x) {dim = 1}", false}, Takes::Dim, true, false, ofShares},
    {{"log_softmax", "%y = log_softmax(%x) {dim = 1}", false}, Takes::Dim, true, false, ofLogShares},
    {{"logsumexp", "%y = logsumexp(%x) {dims = [1]}", false}, Takes::Dims, true, false, ofLogSum},
    {{"logcumsumexp", "%y = logcumsumexp(%x) {dim = 1}", false}, Takes::Dim, true, true, ofLogSum},
    {{"layer_norm", "%y = layer_norm(%x) {normalized_shape = [i2]}", false}, Takes::LastAxis, true, false, ofNormal},
    {{"rms_norm", "%y = rms_norm(%x) {normalized_shape = [i2]}", false}, Takes::LastAxis, true, false, ofNormal},
    {{"norm", "%y = norm(%x) {dims = [1], p = 3.0, keepdim = true}\n%z = norm(%x) {dims = [1]}", false},
     Takes::Dims,
     true,
     false,
     ofSizes},
    {{"std", "%y = std(%x) {dims = [1], keepdim = true}", false}, Takes::Dims, true, false, ofLength},
    {{"count_nonzero", "%y = count_nonzero(%x) {dims = [1]}", true}, Takes::Dims, false, false, ofCount},
    {{"triu", "%y = triu(%x)", true}, Takes::Diagonal, false, false, ofPart},
    {{"tril", "%y = tril(%x)", true}, Takes::Diagonal, false, false, ofPart},
    {{"argsort", "%y = argsort(%x) {dim = 1}", true}, Takes::Dim, false, true, ofCount},
    {{"sort", "%y, %z = sort(%x) {dim = 1}", true}, Takes::Dim, false, true, ofSame},
    {{"topk", "%y, %z = topk(%x) {k = 1, dim = 1}", true}, Takes::DimAndK, false, true, ofSame},
    {{"kthvalue", "%y, %z = kthvalue(%x) {k = 1, dim = 1}", true}, Takes::DimAndK, false, true, ofSame},
    {{"median", "%y, %z = median(%x) {dim = 1}", true}, Takes::Dim, false, true, ofSame},
};

constexpr int64_t kMostOfPairs = 40;  // elements along an axis, all pairs of which are compared

bool mayBeComposed(const CompositeName& drawn, const TensorValue& value) {
  const DataType dtype = value.tensor->dtype();
  if (value.estimate.wild || value.tensor->rank() == 0 || isStored(dtype)) return false;
  if (drawn.onlyFloats && (!isFloating(dtype) || !isSane(value.estimate, dtype))) return false;
  if (drawn.takes == Takes::Diagonal) return value.tensor->rank() >= 2;
  return !drawn.ofPairs || (dtype != DataType::Bool && value.tensor->rank() < 6);
}

// An axis with an element in each run, and few enough where all pairs of them are compared; -1: there is none.
int64_t axisToCompose(Workspace& work, const CompositeName& drawn, const TensorValue& value) {
  std::vector<int64_t> axes;
  for (size_t axis = 0; axis < value.tensor->rank(); ++axis) {
    const Sizes sizes = sizesAlong(value, axis);
    if (std::min(sizes[0], sizes[1]) < 1) continue;
    if (drawn.ofPairs && std::max(sizes[0], sizes[1]) > kMostOfPairs) continue;
    if (drawn.takes != Takes::LastAxis || axis + 1 == value.tensor->rank()) axes.push_back(static_cast<int64_t>(axis));
  }
  return axes.empty() ? -1 : work.choices.pick(axes);
}

text::NamedAttributes attributesOf(Workspace& work, const CompositeName& drawn, const TensorValue& value,
                                   int64_t axis) {
  IntExprArena& ints = work.fusion->ints();
  text::NamedAttributes attributes;
  const auto constant = [&](AttributeName name, double number) {
    attributes.setOperand(name, work.fusion->newConstant(ScalarValue(number)));
  };
  const Sizes sizes = sizesAlong(value, static_cast<size_t>(axis));
  switch (drawn.takes) {
    case Takes::Dims: attributes.set(AttributeName::dims, Attributes().dims({axis})); break;
    case Takes::LastAxis:
      attributes.set(AttributeName::normalized_shape,
                     Attributes().normalized_shape({value.tensor->axes()[static_cast<size_t>(axis)]->size()}));
      break;
    case Takes::Diagonal:
      attributes.set(AttributeName::diagonal, Attributes().diagonal(ints.constant(work.choices.integer(-2, 2))));
      break;
    case Takes::DimAndK:
      attributes.set(AttributeName::k,
                     Attributes().k(ints.constant(work.choices.integer(1, std::min(sizes[0], sizes[1])))));
      [[fallthrough]];
    case Takes::Dim: attributes.set(AttributeName::dim, Attributes().setAxis(AttributeName::dim, axis)); break;
  }
  if (drawn.name == "layer_norm") constant(AttributeName::eps, 1e-5);
  constexpr double kPowers[] = {
      2, 2, 1, 0, 3, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  if (drawn.name == "norm") constant(AttributeName::p, work.choices.pick(kPowers));
  if (drawn.name == "std") constant(AttributeName::correction, 0);
  attributes.setFlag(drawn.name == "topk" ? AttributeName::largest : AttributeName::descending,
                     work.choices.chance(0.5));
  attributes.setFlag(AttributeName::keepdim, work.choices.chance(0.5));
  return attributes;
}

bool drawAlongAxis(Workspace& work) {
  const CompositeName& drawn = work.choices.pick(kComposites);
  if (!mayDraw(work, drawn)) return false;
  const int64_t found = drawTensor(work, [&](const TensorValue& value) { return mayBeComposed(drawn, value); });
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  const int64_t axis = axisToCompose(work, drawn, value);
  if (axis < 0) return false;
  std::array<Dims, kRuns> all = value.sizes;
  const Sizes along = sizesAlong(value, static_cast<size_t>(axis));
  for (size_t run = 0; run < kRuns && drawn.ofPairs; ++run) all[run].push_back(along[run]);
  if (!work.affordable(all)) return false;
  const text::NamedAttributes attributes = attributesOf(work, drawn, value, axis);
  work.composed.emplace_back(drawn.name);
  const Composed operand{value.estimate, static_cast<double>(std::max({along[0], along[1], int64_t{1}}))};
  const std::vector<Val*> operands{value.tensor};
  const text::Expansion* expansion = text::findExpansion(drawn.name, drawn.ofPairs ? 2 : 1);  // values and indices
  if (expansion->several) {
    const std::string first = work.freshName(), second = work.freshName();
    const std::vector<TensorView*> results = expansion->several(*work.fusion, operands, attributes, {first, second});
    work.keep(results[0], drawn.estimate(operand));
    work.keep(results[1], ofCount(operand));
    return true;
  }
  TensorView* result = expansion->build(*work.fusion, operands, attributes, work.freshName());
  work.keep(result, convertEstimate(drawn.estimate(operand), result->dtype(), result->dtype()));
  return true;
}

}  // namespace

bool drawComposite(Workspace& work) {
  constexpr double kShares[] = {0.27, 0.14, 0.14, 0.08, 0.07, 0.12, 0.08, 0.1};
  switch (work.choices.weighted(kShares)) {
    case 0: return drawAlongAxis(work);
    case 1: return drawWindows(work);
    case 2: return drawLayer(work);
    case 3: return drawSearch(work);
    case 4: return drawComplex(work);
    case 5: return drawAtIndices(work);
    case 6: return drawReshaping(work);
    default: return drawForm(work);
  }
}

}  // namespace fuser::fuzz
