// Derivatives of the ops that move elements: each sends an element of the gradient back to where it came from, and adds
// where one was read several times. Sums over axes that were broadcast are the engine's (differentiate.cpp).

#include <numeric>

#include "fuser/gradients/derivative.h"
#include "fuser/ir/view_axes.h"

namespace fuser::gradients {

// set, casts, expand, cond: each operand has the result's gradient, in its own dtype and sizes.
void passedOn(Step& step) {
  for (size_t i = 0; i < 2; ++i) {
    if (step.wants(i)) step.give(i, step.gradient());
    if (step.op() != OpKind::Cond) return;
  }
}

void ofUnsqueeze(Step& step) { step.give(0, build::squeeze(step.fusion(), step.gradient(), step.attributes().dims())); }

void ofSqueeze(Step& step) { step.give(0, build::unsqueeze(step.fusion(), step.gradient(), step.attributes().dims())); }

void ofPermute(Step& step) {
  const std::vector<int64_t>& dims = step.attributes().dims();
  std::vector<int64_t> back(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) back[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
  step.give(0, build::permute(step.fusion(), step.gradient(), back));
}

void ofFlip(Step& step) {
  const Attributes attributes = Attributes().dims(step.attributes().dims());
  step.give(0, build::structuralTensor(step.fusion(), OpKind::Flip, {step.gradient()}, attributes));
}

void ofReshape(Step& step) { step.give(0, build::reshape(step.fusion(), step.gradient(), sizesOf(step.operand()))); }

// Zeros, with the gradient in place of the slice.
void ofSlice(Step& step) {
  TensorView* whole = zerosOf(step.operand(), step.gradient()->dtype());
  step.give(0,
            build::structuralTensor(step.fusion(), OpKind::SliceScatter, {whole, step.gradient()}, step.attributes()));
}

void ofSelect(Step& step) {
  const int64_t dim = step.attributes().dim();
  const IntExpr size = sizesOf(step.operand())[static_cast<size_t>(dim)];
  const IntExpr place = selectedPlace(step.ints(), size, step.attributes().index());
  TensorView* whole = zerosOf(step.operand(), step.gradient()->dtype());
  TensorView* one = build::unsqueeze(step.fusion(), step.gradient(), {dim});
  const Attributes attributes = Attributes()
                                    .dim(dim)
                                    .start(place)
                                    .end(step.ints().add(place, step.ints().constant(1)))
                                    .step(step.ints().constant(1));
  step.give(0, build::structuralTensor(step.fusion(), OpKind::SliceScatter, {whole, one}, attributes));
}

void ofSliceScatter(Step& step) {
  const Attributes& at = step.attributes();
  if (step.wants(0)) {
    TensorView* nothing = zerosOf(step.operand(1), step.gradient()->dtype());
    step.give(0, build::structuralTensor(step.fusion(), OpKind::SliceScatter, {step.gradient(), nothing}, at));
  }
  if (step.wants(1)) {
    step.give(1, build::slice(step.fusion(), step.gradient(), at.dim(), at.start(), at.end(), at.step()));
  }
}

// What pad added is removed; what it removed is 0.
void ofPad(Step& step) {
  std::vector<IntExpr> back;
  for (IntExpr amount : step.attributes().pad()) back.push_back(step.ints().mul(amount, step.ints().constant(-1)));
  Val* zero = step.fusion().newConstant(ScalarValue(0.0));
  step.give(0, build::pad(step.fusion(), step.gradient(), back, zero));
}

void ofCat(Step& step) {
  const int64_t dim = step.attributes().dim();
  IntExpr start = step.ints().constant(0);
  for (size_t i = 0; i < step.operands(); ++i) {
    const IntExpr end = step.ints().add(start, sizesOf(step.operand(i))[static_cast<size_t>(dim)]);
    if (step.wants(i)) step.give(i, build::slice(step.fusion(), step.gradient(), dim, start, end, nullptr));
    start = end;
  }
}

// Along each axis the repeats become an axis of their own, and are added up. So are the axes in front that they add.
void ofRepeat(Step& step) {
  TensorView* gradient = step.gradient();
  const std::vector<IntExpr>& repeats = step.attributes().repeats();
  std::vector<IntExpr> sizes = sizesOf(step.operand());
  std::vector<int64_t> inFront(repeats.size() - sizes.size());
  std::iota(inFront.begin(), inFront.end(), 0);
  if (!inFront.empty()) gradient = build::reduction(step.fusion(), OpKind::Sum, gradient, inFront, false);
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const IntExpr count = repeats[axis + inFront.size()];
    if (count->isConstant(1) || sizes[axis]->isConstant(1)) continue;
    gradient = sumOfRows(gradient, axis, count, sizes[axis]);
  }
  step.give(0, gradient);
}

}  // namespace fuser::gradients
