// Products of matrices: names that the text makes of other ops (fuser/text/expanded_products.cpp), whose two sides are
// new inputs, or the first one what is there. Half of them have small whole numbers, whose sums are exact in every
// order, so that one wrong index shows.

#include <algorithm>
#include <cmath>
#include <vector>

#include "fuser/ir/builder.h"
#include "fuser/text/expansions.h"
#include "fuzz/generate/composed_name.h"

namespace fuser::fuzz {
namespace {

bool productsAreAllowed(const Policy& policy) {
  constexpr OpKind kParts[] = {OpKind::Cast, OpKind::Permute, OpKind::Unsqueeze, OpKind::Mul,
                               OpKind::Sum,  OpKind::Add,     OpKind::Expand};
  return policy.inputs &&
         std::all_of(std::begin(kParts), std::end(kParts), [&](OpKind op) { return policy.opAllowed(op); });
}

int64_t lastOf(const Dims& sizes) { return sizes[sizes.size() - 1]; }

// Sizes around those of tiles and of their parts, at most so many in each run.
Sizes drawSide(Choices& choices, const Sizes& limits, const std::vector<int64_t>& sides) {
  Sizes sizes;
  const int64_t most = std::max<int64_t>(std::min(limits[0], limits[1]), 1);
  sizes[0] = std::min(choices.pick(sides), most);
  sizes[1] = choices.chance(0.3) ? std::min(choices.pick(sides), most) : sizes[0];
  return sizes;
}

// The largest sizes of one more axis beside these.
Sizes limitsBeside(const Workspace& work, const std::array<Dims, kRuns>& taken) {
  Sizes left;
  for (size_t run = 0; run < kRuns; ++run) {
    left[run] = std::min(work.policy.tensorCap, work.elementsLeft());
    for (int64_t size : taken[run]) left[run] /= std::max<int64_t>(size, 1);
  }
  return left;
}

const std::vector<int64_t> kSides = {17, 9, 1, 3, 8, 15, 16, 31, 32, 33, 47};

// A tensor that may be the first side: its last axis is K.
int64_t drawFirst(Workspace& work) {
  return drawTensor(work, [&](const TensorValue& value) {
    const DataType dtype = value.tensor->dtype();
    if (dtype == DataType::Bool || value.tensor->rank() < 2 || value.tensor->rank() > 3 || value.estimate.wild)
      return false;
    return value.estimate.magnitude() <= (work.options.exactData ? 8 : 1000) &&
           std::all_of(value.sizes.begin(), value.sizes.end(), [](const Dims& sizes) { return lastOf(sizes) <= 80; });
  });
}

// A new first side: [b, M, K] or [M, K]. -1: it is not affordable. `sides` becomes what N is drawn from.
int64_t newFirst(Workspace& work, const std::vector<int64_t>*& sides) {
  static const std::vector<int64_t> kTerms = {33, 17, 0, 1, 5, 16, 31, 32, 64, 65};
  static const std::vector<int64_t> kManyTerms = {257, 272, 300, 400};  // which blocks share
  static const std::vector<int64_t> kFewPlaces = {9, 10, 11};
  Choices& choices = work.choices;
  DataType dtype = work.drawDtype();
  if (dtype == DataType::Bool) dtype = DataType::Float;
  std::vector<AxisPlan> shape;
  const bool isDeep = choices.chance(0.15);
  if (isDeep) sides = &kFewPlaces;
  const Sizes terms = isDeep ? drawSide(choices, {400, 400}, kManyTerms) : drawSide(choices, {65, 65}, kTerms);
  if (!isDeep && choices.chance(0.3)) shape.push_back(axisOf(drawSide(choices, {3, 3}, kSides)));
  shape.push_back(axisOf(drawSide(choices, limitsBeside(work, sizesOf({axisOf(terms), axisOf({9, 9})})), *sides)));
  shape.push_back(axisOf(terms));
  if (!work.affordable(sizesOf(shape))) return -1;
  return static_cast<int64_t>(newNumbers(work, dtype, shape));
}

// The magnitude of a sum of products of these.
double magnitudeOf(const TensorValue& a, const Estimate& b) {
  const auto terms = static_cast<double>(std::max({lastOf(a.sizes[0]), lastOf(a.sizes[1]), int64_t{1}}));
  return a.estimate.magnitude() * b.magnitude() * terms;
}

void keepProduct(Workspace& work, std::string_view name, const std::vector<Val*>& operands,
                 const text::NamedAttributes& attributes, double magnitude, bool isCertain) {
  keepNamed(work, name, operands, attributes, {-magnitude, magnitude, isCertain, false});
}

// Pairs of all its rows: a a^T.
bool drawPairsOfRows(Workspace& work, const TensorValue& a) {
  std::array<Dims, kRuns> pairs = a.sizes;
  for (Dims& sizes : pairs) sizes.push_back(sizes[sizes.size() - 2]);
  if (!work.affordable(pairs)) return false;
  std::vector<int64_t> order;
  for (size_t axis = 0; axis < a.tensor->rank(); ++axis) order.push_back(static_cast<int64_t>(axis));
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  TensorView* columns = build::permute(*work.fusion, a.tensor, order, work.freshName());
  keepProduct(work, "matmul", {a.tensor, columns}, {}, magnitudeOf(a, a.estimate), a.estimate.certain);
  return true;
}

// beta c + alpha a b, where the sums have the axes of c.
struct Added {
  std::vector<AxisPlan> shape;
  text::NamedAttributes attributes;
  double beta = 1, alpha = 1;
};
Added drawAdded(Workspace& work, const TensorValue& a, std::vector<AxisPlan> shape) {
  constexpr int64_t kFactors[] = {1, 0, 2, -1};
  const DataType dtype = a.tensor->dtype();
  const auto draw = [&] {
    const int64_t factor = work.choices.pick(kFactors);
    return isUnsigned(dtype) ? std::abs(factor) : factor;
  };
  const int64_t beta = draw(), alpha = draw();
  Added added{std::move(shape), {}, static_cast<double>(beta), static_cast<double>(alpha)};
  for (const auto& [name, factor] : {std::pair(AttributeName::beta, beta), {AttributeName::alpha, alpha}}) {
    const ScalarValue number = isFloating(dtype) ? ScalarValue(static_cast<double>(factor)) : ScalarValue(factor);
    added.attributes.setOperand(name, work.fusion->newConstant(number));
  }
  return added;
}

// With a vector: mv, matmul, or addmv.
bool drawWithVector(Workspace& work, const TensorValue& a, const AxisPlan& k) {
  const TensorValue b = work.tensors[newNumbers(work, a.tensor->dtype(), {k})];
  const double magnitude = magnitudeOf(a, b.estimate);
  const bool isCertain = a.estimate.certain && b.estimate.certain;
  if (a.tensor->rank() == 3 || work.choices.chance(0.5)) {
    keepProduct(work, a.tensor->rank() == 3 ? "matmul" : "mv", {a.tensor, b.tensor}, {}, magnitude, isCertain);
    return true;
  }
  const Added added = drawAdded(work, a, {axisOf(sizesAlong(a, 0))});
  const TensorValue c = work.tensors[newNumbers(work, a.tensor->dtype(), added.shape)];
  if (c.tensor->axes()[0]->size() != a.tensor->axes()[0]->size()) return false;
  keepProduct(work, "addmv", {c.tensor, a.tensor, b.tensor}, added.attributes,
              std::abs(added.alpha) * magnitude + std::abs(added.beta) * c.estimate.magnitude(), isCertain);
  return true;
}

// Two vectors: all pairs of their elements, or one sum.
bool drawVectors(Workspace& work) {
  static const std::vector<int64_t> kLengths = {33, 1, 0, 17, 64, 100};
  DataType dtype = work.drawDtype();
  if (dtype == DataType::Bool) dtype = DataType::Float;
  const AxisPlan first = axisOf(drawSide(work.choices, {100, 100}, kLengths));
  const bool isSum = work.choices.chance(0.5);
  const AxisPlan second = isSum ? first : axisOf(drawSide(work.choices, {100, 100}, kLengths));
  if (!work.affordable(sizesOf({first, second}))) return false;
  const TensorValue a = work.tensors[newNumbers(work, dtype, {first})],
                    b = work.tensors[newNumbers(work, dtype, {second})];
  keepProduct(work, isSum ? "dot" : "outer", {a.tensor, b.tensor}, {}, magnitudeOf(a, b.estimate), true);
  return true;
}

// Of two matrices, or of batches of them.
bool drawMatrices(Workspace& work, const TensorValue& a, const AxisPlan& k, const AxisPlan& n) {
  Choices& choices = work.choices;
  std::array<Dims, kRuns> pairs = a.sizes;
  for (size_t run = 0; run < kRuns; ++run) pairs[run].push_back(n.sizes[run]);
  if (!work.affordable(pairs)) return false;
  constexpr double kNames[] = {/*matmul*/ 0.4, /*linear*/ 0.4, /*addmm, baddbmm*/ 0.2};
  const size_t name = choices.weighted(kNames);
  const bool isLinear = name == 1, isAdded = name == 2, areBatches = a.tensor->rank() == 3;
  std::vector<AxisPlan> shape;
  const AxisPlan batch = axisOf(sizesAlong(a, 0));
  if (areBatches && !isLinear && (isAdded || choices.chance(0.6))) shape.push_back(batch);
  shape.push_back(isLinear ? n : k);
  shape.push_back(isLinear ? k : n);
  if (!work.affordable(sizesOf(shape))) return false;
  const DataType dtype = a.tensor->dtype();
  const TensorValue b = work.tensors[newNumbers(work, dtype, shape)];
  std::vector<Val*> operands{a.tensor, b.tensor};
  double magnitude = magnitudeOf(a, b.estimate);
  const bool isCertain = a.estimate.certain && b.estimate.certain;
  const IntExpr columns = b.tensor->axes()[shape.size() - (isLinear ? 2 : 1)]->size();
  if (isLinear && choices.chance(0.5)) {
    const TensorValue bias = work.tensors[newNumbers(work, dtype, {n})];
    if (hasSizes(bias, {columns})) {
      operands.push_back(bias.tensor);
      magnitude += bias.estimate.magnitude();
    }
  }
  if (!isAdded) {
    // mm and bmm are a matmul of so many axes.
    const bool isOwnName = !isLinear && a.tensor->rank() == b.tensor->rank() && choices.chance(0.3);
    const std::string_view product = isLinear ? "linear" : !isOwnName ? "matmul" : areBatches ? "bmm" : "mm";
    if (product == "bmm" && b.tensor->axes()[0]->size() != a.tensor->axes()[0]->size()) return false;
    keepProduct(work, product, operands, {}, magnitude, isCertain);
    return true;
  }
  const size_t rows = a.tensor->rank() - 2;
  std::vector<AxisPlan> sums{axisOf(sizesAlong(a, rows)), n};
  std::vector<IntExpr> sizes{a.tensor->axes()[rows]->size(), columns};
  if (areBatches) sums.insert(sums.begin(), batch), sizes.insert(sizes.begin(), a.tensor->axes()[0]->size());
  if (!work.affordable(sizesOf(sums)) || (areBatches && b.tensor->axes()[0]->size() != sizes[0])) return false;
  const Added added = drawAdded(work, a, sums);
  const TensorValue c = work.tensors[newNumbers(work, dtype, added.shape)];
  if (!hasSizes(c, sizes)) return false;
  operands.insert(operands.begin(), c.tensor);
  keepProduct(work, areBatches ? "baddbmm" : "addmm", operands, added.attributes,
              std::abs(added.alpha) * magnitude + std::abs(added.beta) * c.estimate.magnitude(), isCertain);
  return true;
}

}  // namespace

bool drawProduct(Workspace& work) {
  if (!productsAreAllowed(work.policy)) return false;
  Choices& choices = work.choices;
  if (choices.chance(0.06)) return drawVectors(work);
  const std::vector<int64_t>* sides = &kSides;
  int64_t first = choices.chance(0.3) ? drawFirst(work) : -1;
  if (first < 0) first = newFirst(work, sides);
  if (first < 0) return false;
  const TensorValue a = work.tensors[static_cast<size_t>(first)];
  const AxisPlan k = axisOf({lastOf(a.sizes[0]), lastOf(a.sizes[1])});
  if (choices.chance(0.08)) return drawPairsOfRows(work, a);
  if (choices.chance(0.08)) return drawWithVector(work, a, k);
  return drawMatrices(work, a, k, axisOf(drawSide(choices, limitsBeside(work, a.sizes), *sides)));
}

}  // namespace fuser::fuzz
