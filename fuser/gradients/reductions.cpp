// Derivatives of reductions: a result's gradient goes to each of its terms, with a weight.

#include <algorithm>
#include <limits>

#include "fuser/gradients/derivative.h"
#include "fuser/ir/view_axes.h"

namespace fuser::gradients {

TensorView* withReducedAxes(Step& step, TensorView* tensor) {
  const std::vector<int64_t>& dims = step.attributes().dims();
  return dims.empty() ? tensor : build::unsqueeze(step.fusion(), tensor, dims);
}

TensorView* sumOfRows(TensorView* tensor, size_t axis, IntExpr rows, IntExpr row) {
  Fusion& fusion = tensor->fusion();
  std::vector<IntExpr> sizes = sizesOf(tensor), parted = sizes;
  sizes[axis] = row;
  size_t rowsAxis = axis;
  if (tensor->rank() < kMaxRank) {
    parted[axis] = row;
    parted.insert(parted.begin() + static_cast<ptrdiff_t>(axis), rows);
  } else {  // there is no room for an axis: those around it are one each
    IntExprArena& ints = fusion.ints();
    const auto product = [&](size_t from, size_t end) {
      IntExpr all = ints.constant(1);
      for (size_t i = from; i < end; ++i) all = ints.mul(all, sizes[i]);
      return all;
    };
    parted = {product(0, axis), rows, row, product(axis + 1, sizes.size())};
    rowsAxis = 1;
  }
  tensor = build::reshape(fusion, tensor, parted);
  tensor = build::reduction(fusion, OpKind::Sum, tensor, {static_cast<int64_t>(rowsAxis)}, false);
  return tensor->rank() == sizes.size() ? tensor : build::reshape(fusion, tensor, sizes);
}

Val* scalarOf(Fusion& fusion, IntExpr extent) {
  if (extent->isConstant()) return fusion.newConstant(ScalarValue(extent->value));
  if (Val* scalar = extent->isSymbol() ? fusion.scalarOf(extent) : nullptr) return scalar;
  // The size of a tensor, which nothing else reads and no kernel makes.
  TensorView* tensor = build::full(fusion, {extent}, fusion.newConstant(ScalarValue(false)), DataType::Bool);
  return build::size(fusion, tensor, 0);
}

namespace {

Term restored(Step& step, Term term) { return term.made(withReducedAxes(step, term.tensor())); }

TensorView* spread(Step& step, Term gradient) {
  TensorView* whole = restored(step, gradient).tensor();
  return build::expand(step.fusion(), whole, sizesOf(step.operand()));
}

// The number of terms of each result, as f64.
Term termCount(Step& step) {
  IntExpr count = step.ints().constant(1);
  const std::vector<IntExpr> sizes = sizesOf(step.operand());
  for (int64_t dim : step.attributes().dims()) count = step.ints().mul(count, sizes[static_cast<size_t>(dim)]);
  Val* scalar = scalarOf(step.fusion(), count);
  if (count->isConstant()) scalar = step.fusion().newConstant(ScalarValue(static_cast<double>(count->value)));
  return {&step.fusion(), count->isConstant() ? scalar : build::cast(step.fusion(), scalar, DataType::Double)};
}

Term reduced(Step& step, OpKind op, Term terms) {
  return terms.made(build::reduction(step.fusion(), op, terms.tensor(), step.attributes().dims(), true));
}

// Whether an element is the first of those that are set, row-major along the reduced axes.
Term isFirst(Step& step, Term isSet) {
  Fusion& fusion = step.fusion();
  IntExprArena& ints = step.ints();
  const std::vector<IntExpr> sizes = sizesOf(isSet.tensor());
  std::vector<IntExpr> reducedSizes;
  std::vector<int64_t> others;
  IntExpr count = ints.constant(1);
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const std::vector<int64_t>& dims = step.attributes().dims();
    const bool isReduced = std::find(dims.begin(), dims.end(), static_cast<int64_t>(axis)) != dims.end();
    if (!isReduced) {
      others.push_back(static_cast<int64_t>(axis));
      continue;
    }
    reducedSizes.push_back(sizes[axis]);
    count = ints.mul(count, sizes[axis]);
  }
  TensorView* places = build::arange(fusion, ints.constant(0), count, ints.constant(1), DataType::Int64);
  if (reducedSizes.size() > 1) places = build::reshape(fusion, places, reducedSizes);
  if (!others.empty()) places = build::unsqueeze(fusion, places, others);
  Val* beyond = fusion.newConstant(ScalarValue(std::numeric_limits<int64_t>::max()));
  const Term found = isSet.made(build::where(fusion, isSet.val, places, beyond));
  return isSet.made(places) == reduced(step, OpKind::Amin, found);
}

}  // namespace

void ofSum(Step& step) { step.give(0, step.attributes().dims().empty() ? step.gradient() : spread(step, step.g())); }

void ofMean(Step& step) { step.give(0, spread(step, step.g() / termCount(step))); }

// The product of the other terms: by a quotient, but for one term that is 0, whose others are multiplied without it.
void ofProd(Step& step) {
  if (step.attributes().dims().empty()) {
    step.give(0, step.gradient());
    return;
  }
  const Term x = step.x(), g = restored(step, step.g()), isZero = x == 0.0;
  const Term whole{&step.fusion(), build::cast(step.fusion(), isZero.val, DataType::Int64)};
  const Term zeroCount = reduced(step, OpKind::Sum, whole);
  const Term others = g * reduced(step, OpKind::Prod, select(isZero, 1.0, x));
  const Term nothing = zeros(x);
  const Term isOnly = isZero && (zeroCount == zeroCount.integer(1));
  step.give(0, select(zeroCount == zeroCount.integer(0), others / x, select(isOnly, others, nothing)));
}

// Those that are equal to the result share the gradient evenly; there are none beside NaN, which gives NaN. With
// first_of_ties the first of them has it all, or the first NaN, as the element at PyTorch's index.
void ofExtreme(Step& step) {
  if (step.attributes().dims().empty() && step.attributes().first_of_ties()) return step.give(0, step.gradient());
  const Term g = restored(step, step.g()), isExtreme = step.x() == restored(step, step.y());
  if (step.attributes().first_of_ties()) {
    return step.give(0, select(isFirst(step, isExtreme || isNan(step.x())), g, zeros(step.x())));
  }
  const Term weight = asNumber(isExtreme, g);
  step.give(0, g * weight / (step.attributes().dims().empty() ? weight : reduced(step, OpKind::Sum, weight)));
}

// var: 2 / (n - correction) of the distance from the mean. Of var_mean either result may have a gradient.
void ofVariance(Step& step) {
  const bool hasMean = step.op() == OpKind::VarMean;
  std::optional<Term> sum;
  if (step.hasGradient(0)) {
    const Term x = step.x();
    Term mean = x;
    if (hasMean) mean = restored(step, step.y(1));
    if (!hasMean && !step.attributes().dims().empty()) mean = reduced(step, OpKind::Mean, x);
    const Term divisor = termCount(step) - static_cast<double>(step.attributes().correction());
    sum = 2.0 / divisor * restored(step, step.g(0)) * (x - mean);
  }
  if (hasMean && step.hasGradient(1)) {
    const Term ofMean{&step.fusion(), spread(step, step.g(1) / termCount(step))};
    sum = sum ? *sum + ofMean : ofMean;
  }
  step.give(0, *sum);
}

}  // namespace fuser::gradients
