#include "fuzz/generate/composed_name.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "fuser/support/check.h"
#include "fuser/text/parser.h"

namespace fuser::fuzz {
namespace {

// The last ones have names of their own for sizes that are equal, which is checked.
constexpr std::string_view kSampleOperands =
    "%x: bf16[i0, i1, i2], %k: i64[i0, i1, i2], %v: bf16[i2], %q: bf16[i3], %r: i64[i3, i4], %s: bf16[i3, i4, i5], "
    "%m: bool[i6, i7]";

std::vector<OpKind> partsOf(std::string_view sample) {
  const std::string fusion = concat("fusion sample(", kSampleOperands, ") {\n", sample, "\nreturn %y\n}\n");
  std::vector<OpKind> parts;
  const std::unique_ptr<Fusion> parsed = parseFusion(fusion, "sample");
  for (const Expr* expr : parsed->exprs()) parts.push_back(expr->op());
  return parts;
}

}  // namespace

bool mayDraw(const Workspace& work, const ComposedName& drawn) {
  static std::mutex mutex;
  static std::map<std::string_view, std::vector<OpKind>> known;  // by sample
  if (work.options.exactData && !drawn.isExact) return false;
  const std::lock_guard lock(mutex);
  const auto [found, isNew] = known.try_emplace(drawn.sample);
  if (isNew) found->second = partsOf(drawn.sample);
  return std::all_of(found->second.begin(), found->second.end(), [&](OpKind op) { return work.policy.opAllowed(op); });
}

bool isPlain(const TensorValue& value) {
  const DataType dtype = value.tensor->dtype();
  return !value.estimate.wild && !isStored(dtype) && isSane(value.estimate, dtype) && numel(value.sizes[0]) > 0 &&
         numel(value.sizes[1]) > 0;
}

Sizes sizesAlong(const TensorValue& value, size_t axis) { return {value.sizes[0][axis], value.sizes[1][axis]}; }

AxisPlan axisOf(const Sizes& sizes) { return {IterType::Iteration, false, sizes}; }

std::vector<AxisPlan> axesOf(const TensorValue& value) {
  std::vector<AxisPlan> shape;
  for (size_t axis = 0; axis < value.tensor->rank(); ++axis) shape.push_back(axisOf(sizesAlong(value, axis)));
  return shape;
}

size_t newNumbersWithin(Workspace& work, DataType dtype, const std::vector<AxisPlan>& shape, double low, double high) {
  const bool isWhole = work.options.exactData || !isFloating(dtype);
  Recipe recipe;
  recipe.kind = isWhole ? RecipeKind::Integers : RecipeKind::Uniform;
  recipe.low = low;
  recipe.high = isWhole ? high + 1 : high;
  return newInput(work, dtype, shape, recipe, {low, high, true, false});
}

size_t newNumbers(Workspace& work, DataType dtype, const std::vector<AxisPlan>& shape) {
  if (work.options.exactData || work.choices.chance(0.5) || !isFloating(dtype)) {
    Recipe recipe;
    recipe.kind = RecipeKind::Integers;
    recipe.low = isUnsigned(dtype) ? 0 : -3;
    recipe.high = 4;
    return newInput(work, dtype, shape, recipe, {recipe.low, 3, true, false});
  }
  Recipe recipe;
  recipe.kind = RecipeKind::Normal;
  return newInput(work, dtype, shape, recipe, {-6, 6, true, false});
}

}  // namespace fuser::fuzz
