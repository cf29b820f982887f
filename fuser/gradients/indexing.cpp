// Derivatives of ops with indices: what is read at an index is added there, and the reverse.

#include "fuser/gradients/derivative.h"
#include "fuser/ir/view_axes.h"

namespace fuser::gradients {
namespace {

TensorView* atIndices(Step& step, OpKind op, std::vector<Val*> operands) {
  return build::structuralTensor(step.fusion(), op, std::move(operands), Attributes().dim(step.attributes().dim()));
}

// The gradients at the indices; 0 for elements beyond them.
TensorView* ofElements(Step& step) {
  TensorView* gathered = atIndices(step, OpKind::Gather, {step.gradient(), step.operand(1)});
  const std::vector<IntExpr> all = sizesOf(step.operand(2)), given = sizesOf(step.operand(1));
  std::vector<IntExpr> pads;
  for (size_t axis = all.size(); axis-- > 0;) {
    pads.push_back(step.ints().constant(0));
    pads.push_back(step.ints().sub(all[axis], given[axis]));
  }
  if (all == given) return gathered;
  return build::pad(step.fusion(), gathered, pads, step.fusion().newConstant(ScalarValue(0.0)));
}

}  // namespace

void ofGather(Step& step) {
  TensorView* nothing = zerosOf(step.operand(0), step.gradient()->dtype());
  step.give(0, atIndices(step, OpKind::ScatterAdd, {nothing, step.operand(1), step.gradient()}));
}

// As PyTorch's: each of several elements for one place has that place's gradient.
void ofScatter(Step& step) {
  if (step.wants(0)) {
    TensorView* nothing = zerosOf(step.operand(1), step.gradient()->dtype());
    step.give(0, atIndices(step, OpKind::Scatter, {step.gradient(), step.operand(1), nothing}));
  }
  if (step.wants(2)) step.give(2, ofElements(step));
}

void ofScatterAdd(Step& step) {
  if (step.wants(0)) step.give(0, step.gradient());
  if (step.wants(2)) step.give(2, ofElements(step));
}

// The windows become one axis of places, each of which is added to the element that it shows.
void ofUnfold(Step& step) {
  Fusion& fusion = step.fusion();
  const size_t dim = static_cast<size_t>(step.attributes().dim());
  TensorView* gradient = step.gradient();
  const size_t rank = gradient->rank();
  std::vector<int64_t> order;
  for (size_t axis = 0; axis + 1 < rank; ++axis) {
    order.push_back(static_cast<int64_t>(axis));
    if (axis == dim) order.push_back(static_cast<int64_t>(rank) - 1);
  }
  gradient = build::permute(fusion, gradient, order);
  std::vector<IntExpr> sizes = sizesOf(gradient);
  const IntExpr windows = sizes[dim], window = sizes[dim + 1];
  sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(dim));
  sizes[dim] = step.ints().mul(windows, window);
  gradient = build::reshape(fusion, gradient, sizes);

  // The windows of the places themselves: where a run has no room for one, it is refused here as before.
  const IntExpr end = sizesOf(step.operand())[dim];
  IntExprArena& ints = step.ints();
  TensorView* places = build::arange(fusion, ints.constant(0), end, ints.constant(1), DataType::Int64);
  const Attributes windowsOf =
      Attributes().dim(0).window(step.attributes().window()).spacing(step.attributes().spacing());
  TensorView* index = build::structuralTensor(fusion, OpKind::Unfold, {places}, windowsOf);
  index = build::reshape(fusion, index, {sizes[dim]});
  std::vector<int64_t> others;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    if (axis != dim) others.push_back(static_cast<int64_t>(axis));
  }
  if (!others.empty()) index = build::unsqueeze(fusion, index, others);
  index = build::expand(fusion, index, sizes);
  TensorView* nothing = zerosOf(step.operand(), gradient->dtype());
  step.give(0, atIndices(step, OpKind::ScatterAdd, {nothing, index, gradient}));
}

}  // namespace fuser::gradients
