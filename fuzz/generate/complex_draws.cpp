// Complex numbers: names that the text makes of ops on their two parts (fuser/text/complex_values.h). One part of the
// first number is what is there; the others are new inputs.

#include <algorithm>
#include <cmath>

#include "fuser/ir/view_axes.h"
#include "fuser/text/complex_values.h"
#include "fuzz/generate/composed_name.h"

namespace fuser::fuzz {
namespace {

using text::ComplexOperand;
using text::ComplexResult;

enum class Gives : uint8_t { Product, Square, Quotient, Inverse, Size, Angle, Polar, Truth, AllTerms };

struct ComplexName : ComposedName {
  bool isOfTwo;
  Gives gives;
};
constexpr ComplexName kComplexNames[] = {
    {{"mul", "%f = cast(%x) {dtype = f32}\n%c = complex(%f, %f)\n%d = mul(%c, %c)\n%y = view_as_real(%d)", true},
     true,
     Gives::Product},
    {{"div", "%f = cast(%x) {dtype = f32}\n%c = complex(%f, %f)\n%d = div(%c, %c)\n%y = view_as_real(%d)", false},
     true,
     Gives::Quotient},
    {{"reciprocal", "%f = cast(%x) {dtype = f32}\n%c = complex(%f, %f)\n%d = reciprocal(%c)\n%y = view_as_real(%d)",
      false},
     false,
     Gives::Inverse},
    {{"square", "%f = cast(%x) {dtype = f32}\n%c = complex(%f, %f)\n%d = square(%c)\n%y = view_as_real(%d)", true},
     false,
     Gives::Square},
    {{"abs", "%f = cast(%x) {dtype = f32}\n%c = complex(%f, %f)\n%y = abs(%c)", false}, false, Gives::Size},
    {{"angle", "%f = cast(%x) {dtype = f32}\n%c = complex(%f, %f)\n%y = angle(%c)", false}, false, Gives::Angle},
    {{"polar", "%f = cast(%x) {dtype = f32}\n%c = polar(%f, %f)\n%y = view_as_real(%c)", false}, false, Gives::Polar},
    {{"eq", "%f = cast(%x) {dtype = f32}\n%c = complex(%f, %f)\n%y = eq(%c, %c)", true}, true, Gives::Truth},
    {{"ne", "%f = cast(%x) {dtype = f32}\n%c = complex(%f, %f)\n%y = ne(%c, %c)", true}, true, Gives::Truth},
    {{"isnan", "%f = cast(%x) {dtype = f32}\n%c = complex(%f, %f)\n%y = isnan(%c)", true}, false, Gives::Truth},
    {{"isinf", "%f = cast(%x) {dtype = f32}\n%c = complex(%f, %f)\n%y = isinf(%c)", true}, false, Gives::Truth},
    {{"isfinite", "%f = cast(%x) {dtype = f32}\n%c = complex(%f, %f)\n%y = isfinite(%c)", true}, false, Gives::Truth},
    {{"prod",
      "%n = narrow(%x) {dim = 1, start = 0, length = 3}\n%f = cast(%n) {dtype = f32}\n%c = complex(%f, %f)\n"
      "%d = prod(%c) {dims = [1]}\n%y = view_as_real(%d)",
      true},
     false,
     Gives::AllTerms},
};

constexpr int64_t kMostTerms = 5;  // of a product along an axis

// The parts of the second number are at most 3.
double magnitudeOf(Gives gives, double first) {
  switch (gives) {
    case Gives::Product: return 6 * first;
    case Gives::Square: return 2 * first * first;
    case Gives::AllTerms: return std::pow(2 * first, kMostTerms);
    case Gives::Quotient: return 2 * first;
    case Gives::Size: return 2 * first;
    case Gives::Polar: return first;
    case Gives::Angle: return 4;
    case Gives::Inverse:
    case Gives::Truth: return 1;
  }
  FUSER_CHECK(false, "bad Gives");
}

// Few terms of an axis, whose number the text gives.
TensorValue fewTerms(Workspace& work, const TensorValue& value, size_t axis) {
  const Sizes sizes = sizesAlong(value, axis);
  const int64_t length = work.choices.integer(1, std::min<int64_t>({sizes[0], sizes[1], kMostTerms}));
  IntExprArena& ints = work.fusion->ints();
  text::NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim, axis);
  attributes.set(AttributeName::start, Attributes().start(ints.constant(0)));
  attributes.set(AttributeName::length, Attributes().setBound(AttributeName::length, ints.constant(length)));
  const text::Expansion* narrow = text::findExpansion("narrow");
  return work
      .tensors[work.keep(narrow->build(*work.fusion, {value.tensor}, attributes, work.freshName()), value.estimate)];
}

}  // namespace

bool drawComplex(Workspace& work) {
  Choices& choices = work.choices;
  const ComplexName& drawn = choices.pick(kComplexNames);
  if (!work.policy.inputs || !mayDraw(work, drawn)) return false;
  const int64_t found = drawTensor(work, [&](const TensorValue& value) {
    const DataType dtype = value.tensor->dtype();
    return isPlain(value) && value.tensor->rank() < kMaxRank &&
           (dtype == DataType::Float || dtype == DataType::Double) &&
           (drawn.gives != Gives::AllTerms || value.tensor->rank() > 0);
  });
  if (found < 0) return false;
  TensorValue value = work.tensors[static_cast<size_t>(found)];
  text::NamedAttributes attributes;
  if (drawn.gives == Gives::AllTerms) {
    const size_t axis = choices.index(value.tensor->rank());
    value = fewTerms(work, value, axis);
    attributes.set(AttributeName::dims, Attributes().dims({static_cast<int64_t>(axis)}));
  }
  const DataType dtype = value.tensor->dtype();
  const std::vector<AxisPlan> shape = axesOf(value);
  std::array<Dims, kRuns> both = value.sizes;
  for (Dims& sizes : both) sizes.push_back(2);
  if (!work.affordable(both)) return false;
  // The size of what divides is at least 1.
  const TensorValue part = work.tensors[newNumbersWithin(work, dtype, shape, 1, 3)];
  if (drawn.gives == Gives::AllTerms && !hasSizes(part, sizesOf(value.tensor))) return false;
  const bool isFixed = drawn.gives == Gives::Inverse || drawn.gives == Gives::AllTerms;
  const bool isFirst = !isFixed && choices.chance(0.5);
  std::vector<ComplexOperand> operands{{isFirst ? part.tensor : value.tensor, isFirst ? value.tensor : part.tensor}};
  if (drawn.gives == Gives::Polar) operands = {{value.tensor, nullptr}, {part.tensor, nullptr}};
  if (drawn.isOfTwo) {
    const TensorValue other = work.tensors[newNumbersWithin(work, dtype, shape, 1, 2)];
    operands.push_back({other.tensor, nullptr});
    if (choices.chance(0.8)) operands.back().imaginary = part.tensor;
  }
  const double first = std::max(value.estimate.magnitude(), 3.0);
  const double magnitude = magnitudeOf(drawn.gives, first);
  const Estimate estimate{-magnitude, magnitude, value.estimate.certain, false};
  work.composed.push_back(concat("complex ", drawn.name));
  const std::string name = work.freshName();
  const ComplexResult result = text::findComplexFunction(drawn.name)->build(*work.fusion, operands, attributes, name);
  const Estimate kept = convertEstimate(estimate, dtype, dtype);
  if (result.real) {
    work.keep(result.real, estimate);
  } else if (choices.chance(0.4)) {
    work.keep(text::joined(*work.fusion, result.value, name), kept);
  } else {
    work.keep(result.value.real, kept);
    work.keep(result.value.imaginary, kept);
  }
  return true;
}

}  // namespace fuser::fuzz
