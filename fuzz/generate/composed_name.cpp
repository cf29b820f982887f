#include "fuzz/generate/composed_name.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "fuser/support/check.h"
#include "fuser/text/complex_values.h"
#include "fuser/text/parser.h"
#include "fuser/types/term_count.h"
#include "fuzz/generate/generate.h"

namespace fuser::fuzz {
namespace {

// The last ones have names of their own for sizes that are equal, which is checked.
constexpr std::string_view kSampleOperands =
    "%x: bf16[i0, i1, i2], %k: i64[i0, i1, i2], %v: bf16[i2], %q: bf16[i3], %r: i64[i3, i4], %s: bf16[i3, i4, i5], "
    "%m: bool[i6, i7], %w: bf16[i8, i9], %j: i64[i10]";

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

std::string namesOf(const Workspace& work) {
  std::vector<std::string> names;
  for (const std::string& name : work.composed) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> drawableNames() {
  std::set<std::string> names;
  for (const text::Expansion* expansion : text::allExpansions()) names.emplace(expansion->name);
  for (std::string_view name : text::complexFunctionNames()) {
    if (name != "complex") names.insert(concat("complex ", name));  // the parts of all the others
  }
  return {names.begin(), names.end()};
}

bool drawOneOf(Workspace& work, std::span<const DrawnName> names) {
  const DrawnName& drawn = names[work.choices.index(names.size())];
  return mayDraw(work, drawn) && drawn.draw(work, drawn.name);
}

void keepNamed(Workspace& work, std::string_view name, const std::vector<Val*>& operands,
               const text::NamedAttributes& attributes, const Estimate& estimate) {
  work.composed.emplace_back(name);
  TensorView* result = text::findExpansion(name)->build(*work.fusion, operands, attributes, work.freshName());
  work.keep(result, convertEstimate(estimate, result->dtype(), result->dtype()));
}

void setNumber(Workspace& work, text::NamedAttributes& attributes, AttributeName name, double number) {
  attributes.setOperand(name, work.fusion->newConstant(ScalarValue(number)));
}

void setAxis(text::NamedAttributes& attributes, AttributeName name, size_t axis) {
  attributes.set(name, Attributes().setAxis(name, static_cast<int64_t>(axis)));
}

namespace {

// Whether a name may multiply its sizes a few times: what is longer is an error of the program
// (fuser/types/term_count.h).
bool hasShortSizes(const TensorView* tensor) {
  constexpr size_t kMostTerms = kMaxSizeTerms / 16, kMostDepth = kMaxSizeDepth / 4;
  double numbers = 1;
  for (const IterDomain* axis : tensor->axes()) {
    if (!hasAtMostTerms(axis->size(), kMostTerms, kMostDepth)) return false;
    numbers *= numberBound(axis->size());
  }
  return numbers * numbers <= kMaxSizeNumber;
}

}  // namespace

bool isPlain(const TensorValue& value) {
  const DataType dtype = value.tensor->dtype();
  return !value.estimate.wild && !isStored(dtype) && isSane(value.estimate, dtype) && numel(value.sizes[0]) > 0 &&
         numel(value.sizes[1]) > 0 && hasShortSizes(value.tensor);
}

bool hasSizes(const TensorValue& value, const std::vector<IntExpr>& sizes) {
  const std::vector<IterDomain*> axes = value.tensor->axes();
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i]->size() != sizes[i]) return false;
  }
  return true;
}

Sizes sizesAlong(const TensorValue& value, size_t axis) { return {value.sizes[0][axis], value.sizes[1][axis]}; }

Estimate withinMagnitude(double magnitude) { return {-magnitude, magnitude, true, false}; }

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
