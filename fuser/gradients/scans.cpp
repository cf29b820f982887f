// Derivatives of scans: an element reaches all results from its own place on, so that gradients are summed up from the
// end.

#include "fuser/gradients/derivative.h"
#include "fuser/ir/view_axes.h"

namespace fuser::gradients {
namespace {

Term scanned(Step& step, OpKind op, Term term) {
  const Attributes along = Attributes().dim(step.attributes().dim());
  return term.made(build::structuralTensor(step.fusion(), op, {term.val}, along));
}

// At each place the sum of the terms from there on.
Term summedFromEnd(Step& step, Term term) {
  const Attributes along = Attributes().dims({step.attributes().dim()});
  const auto flipped = [&](Term t) {
    return t.made(build::structuralTensor(step.fusion(), OpKind::Flip, {t.val}, along));
  };
  return flipped(scanned(step, OpKind::Cumsum, flipped(term)));
}

}  // namespace

void ofCumsum(Step& step) { step.give(0, summedFromEnd(step, step.g())); }

// d/dx_k = sum over j >= k of g_j times the product of the others up to j. Before the first 0 that is a quotient; at
// it, the same with the 0 left out; behind it all products are 0.
void ofCumprod(Step& step) {
  const Term x = step.x(), g = step.g(), isZero = x == 0.0;
  const Term whole = isZero.made(build::cast(step.fusion(), isZero.val, DataType::Int64));
  const Term zerosSoFar = scanned(step, OpKind::Cumsum, whole);
  const Term isFirst = isZero && (zerosSoFar == zerosSoFar.integer(1));
  const Term quotient = summedFromEnd(step, g * step.y()) / x;
  const Term without = summedFromEnd(step, g * scanned(step, OpKind::Cumprod, select(isFirst, 1.0, x)));
  step.give(0, select(zerosSoFar == zerosSoFar.integer(0), quotient, select(isFirst, without, zeros(x))));
}

// A result's gradient goes to the last place up to its own that holds it; NaN is the greatest and the least.
void ofExtremeUpTo(Step& step) {
  Fusion& fusion = step.fusion();
  TensorView* x = step.operand();
  const size_t dim = static_cast<size_t>(step.attributes().dim());
  const Term operand{&fusion, x};
  const Term isReached = (operand == Term{&fusion, step.result()}) || isNan(operand);
  IntExprArena& ints = step.ints();
  TensorView* places = build::arange(fusion, ints.constant(0), sizesOf(x)[dim], ints.constant(1), DataType::Int64);
  std::vector<int64_t> others;
  for (size_t axis = dim + 1; axis < x->rank(); ++axis) others.push_back(static_cast<int64_t>(axis - dim));
  if (!others.empty()) places = build::unsqueeze(fusion, places, others);
  Val* first = fusion.newConstant(ScalarValue(int64_t{0}));
  const Term index = scanned(step, OpKind::Cummax, isReached.made(build::where(fusion, isReached.val, places, first)));
  TensorView* nothing = zerosOf(x, step.gradient()->dtype());
  const Attributes along = Attributes().dim(step.attributes().dim());
  step.give(0, build::structuralTensor(fusion, OpKind::ScatterAdd, {nothing, index.val, step.gradient()}, along));
}

}  // namespace fuser::gradients
