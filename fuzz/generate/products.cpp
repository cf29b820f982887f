// Products of matrices: names that the text makes of other ops (fuser/text/expanded_products.cpp), whose two sides are
// new inputs, or the first one what is there. Half of them have small whole numbers, whose sums are exact in every
// order, so that one wrong index shows.

#include <algorithm>
#include <vector>

#include "fuser/text/expansions.h"
#include "fuzz/generate/exact_draws.h"
#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {
namespace {

bool productsAreAllowed(const Policy& policy) {
  constexpr OpKind kParts[] = {OpKind::Cast, OpKind::Permute, OpKind::Unsqueeze, OpKind::Mul,
                               OpKind::Sum,  OpKind::Add,     OpKind::Expand};
  return policy.inputs &&
         std::all_of(std::begin(kParts), std::end(kParts), [&](OpKind op) { return policy.opAllowed(op); });
}

int64_t lastOf(const Dims& sizes) { return sizes[sizes.size() - 1]; }

AxisPlan axisOf(const Sizes& sizes) { return {IterType::Iteration, false, sizes}; }

// Sizes around those of tiles and of their parts, at most so many in each run.
Sizes drawSide(Choices& choices, const Sizes& limits, const std::vector<int64_t>& sides) {
  Sizes sizes;
  const int64_t most = std::max<int64_t>(std::min(limits[0], limits[1]), 1);
  sizes[0] = std::min(choices.pick(sides), most);
  sizes[1] = choices.chance(0.3) ? std::min(choices.pick(sides), most) : sizes[0];
  return sizes;
}

struct Numbers {
  Recipe recipe;
  Estimate estimate;
};

Numbers drawNumbers(Workspace& work, DataType dtype) {
  Recipe recipe;
  if (work.options.exactData || work.choices.chance(0.5) || !isFloating(dtype)) {
    recipe.kind = RecipeKind::Integers;
    recipe.low = isUnsigned(dtype) ? 0 : -3;
    recipe.high = 4;
    return {recipe, {recipe.low, 3, true, false}};
  }
  recipe.kind = RecipeKind::Normal;
  return {recipe, {-6, 6, true, false}};
}

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

}  // namespace

bool drawProduct(Workspace& work) {
  if (!productsAreAllowed(work.policy)) return false;
  static const std::vector<int64_t> kTerms = {33, 17, 0, 1, 5, 16, 31, 32, 64, 65};
  static const std::vector<int64_t> kManyTerms = {257, 272, 300, 400};  // which blocks share
  static const std::vector<int64_t> kSides = {17, 9, 1, 3, 8, 15, 16, 31, 32, 33, 47};
  static const std::vector<int64_t> kFewPlaces = {9, 10, 11};
  Choices& choices = work.choices;
  const auto limits = [&](const std::array<Dims, kRuns>& taken) {
    Sizes left;
    for (size_t run = 0; run < kRuns; ++run) {
      left[run] = std::min(work.policy.tensorCap, work.elementsLeft());
      for (int64_t size : taken[run]) left[run] /= std::max<int64_t>(size, 1);
    }
    return left;
  };
  const std::vector<int64_t>* sides = &kSides;
  int64_t first = choices.chance(0.3) ? drawFirst(work) : -1;
  if (first < 0) {
    DataType dtype = work.drawDtype();
    if (dtype == DataType::Bool) dtype = DataType::Float;
    std::vector<AxisPlan> shape;
    const bool isDeep = choices.chance(0.15);
    if (isDeep) sides = &kFewPlaces;
    const Sizes terms = isDeep ? drawSide(choices, {400, 400}, kManyTerms) : drawSide(choices, {65, 65}, kTerms);
    if (!isDeep && choices.chance(0.3)) shape.push_back(axisOf(drawSide(choices, {3, 3}, kSides)));
    shape.push_back(axisOf(drawSide(choices, limits(sizesOf({axisOf(terms), axisOf({9, 9})})), *sides)));
    shape.push_back(axisOf(terms));
    if (!work.affordable(sizesOf(shape))) return false;
    const Numbers numbers = drawNumbers(work, dtype);
    first = static_cast<int64_t>(newInput(work, dtype, shape, numbers.recipe, numbers.estimate));
  }
  const TensorValue a = work.tensors[static_cast<size_t>(first)];
  const DataType dtype = a.tensor->dtype();
  const Sizes terms{lastOf(a.sizes[0]), lastOf(a.sizes[1])};
  const AxisPlan n = axisOf(drawSide(choices, limits(a.sizes), *sides));
  std::array<Dims, kRuns> pairs = a.sizes;
  for (size_t run = 0; run < kRuns; ++run) pairs[run].push_back(n.sizes[run]);
  if (!work.affordable(pairs)) return false;
  const bool isLinear = choices.chance(0.4);
  std::vector<AxisPlan> shape;
  const AxisPlan k = axisOf(terms);
  const bool ofBatch = !isLinear && a.tensor->rank() == 3 && choices.chance(0.6);
  if (ofBatch) shape.push_back(axisOf({a.sizes[0][0], a.sizes[1][0]}));
  shape.push_back(isLinear ? n : k);
  shape.push_back(isLinear ? k : n);
  if (!work.affordable(sizesOf(shape))) return false;
  const Numbers numbers = drawNumbers(work, dtype);
  std::vector<Val*> operands{a.tensor,
                             work.tensors[newInput(work, dtype, shape, numbers.recipe, numbers.estimate)].tensor};
  double magnitude = a.estimate.magnitude() * numbers.estimate.magnitude() *
                     static_cast<double>(std::max({terms[0], terms[1], int64_t{1}}));
  if (isLinear && choices.chance(0.5)) {
    const Numbers bias = drawNumbers(work, dtype);
    TensorView* input = work.tensors[newInput(work, dtype, {n}, bias.recipe, bias.estimate)].tensor;
    // Two names of one size would be checked against each other, as no program does that knows them equal.
    if (input->axes()[0]->size() == operands[1]->as<TensorView>()->axes()[0]->size()) {
      operands.push_back(input);
      magnitude += bias.estimate.magnitude();
    }
  }
  const Estimate estimate =
      convertEstimate({-magnitude, magnitude, a.estimate.certain && numbers.estimate.certain, false}, dtype, dtype);
  work.keep(text::findExpansion(isLinear ? "linear" : "matmul")->build(*work.fusion, operands, {}, work.freshName()),
            estimate);
  return true;
}

}  // namespace fuser::fuzz
