#include "fuzz/edit/check_made.h"

#include <algorithm>
#include <map>

#include "fuser/case/recipe_data.h"
#include "fuser/text/limits.h"
#include "fuser/text/transform_table.h"

namespace fuser::fuzz {
namespace {

void checkSize(IntExpr size) {
  if (!size) return;
  const bool fits = hasAtMostTerms(size, text::kMaxDimTerms, text::kMaxDimDepth) &&
                    numberBound(size) <= text::kMaxDimNumber;
  FUSER_USER_CHECK(fits, "a size is past the limits of the text");
}

void checkExtent(IntExpr extent) {
  checkSize(extent);
  FUSER_USER_CHECK(!extent || !extent->isConstant() || extent->value >= 0, "a size is negative");
}

void checkTensor(const Fusion& fusion, const TensorInput& tensor) {
  FUSER_USER_CHECK(tensor.sizes.size() <= kMaxRank, "more than 8 sizes");
  FUSER_USER_CHECK(!tensor.strides || tensor.strides->size() == tensor.sizes.size(), "a stride for each size");
  FUSER_USER_CHECK(tensor.offset >= 0, "an offset is not negative");
  FUSER_USER_CHECK(tensor.recipe.values.size() <= text::kMaxListEntries, "more values than a list has");
  checkRecipe(tensor.recipe, tensor.dtype);
  FUSER_USER_CHECK(!tensor.recipe.peak || tensor.recipe.peak->axis < static_cast<int64_t>(tensor.sizes.size()),
                   "a peak along an axis that is not there");
  if (tensor.recipe.kind != RecipeKind::View) return;
  const bool found = std::any_of(fusion.inputs().begin(), fusion.inputs().end(), [&](const Val* input) {
    return input->isTensor() && input->name() == tensor.recipe.viewOf;
  });
  FUSER_USER_CHECK(found, "%", tensor.recipe.viewOf, " is not an input tensor");
}

}  // namespace

void checkSizes(const Fusion& fusion) {
  for (const Val* val : fusion.usedVals()) {
    if (val->isScalar()) continue;
    for (const IterDomain* axis : val->as<TensorView>()->axes()) {
      checkExtent(axis->extent());
      checkExtent(axis->expandedExtent());
    }
  }
  for (const Expr* expr : fusion.exprs()) {
    for (IntExpr size : expr->attributes().allIntegers()) checkSize(size);
  }
}

void checkSchedule(const Fusion& fusion, const Schedule& schedule) {
  std::map<std::string, bool> isTensor;  // by name
  for (const Val* val : fusion.usedVals()) isTensor.emplace(val->name(), val->isTensor());
  const auto checkKnown = [&](const std::string& name) {
    const auto found = isTensor.find(name);
    FUSER_USER_CHECK(found != isTensor.end() && found->second, "a schedule names %", name, ", which is no tensor");
  };
  for (const Transform& step : schedule) {
    const text::TransformForm& form = text::transformForm(step.kind);
    if (form.tensor) checkKnown(step.tensor);
    if (form.consumer) checkKnown(step.other);
    const bool fresh = !form.makesTensor || isTensor.emplace(step.other, true).second;
    FUSER_USER_CHECK(fresh, "%", step.other, " is defined already");
  }
}

void checkRun(const Fusion& fusion, const Run& run) {
  FUSER_USER_CHECK(run.inputs.size() == fusion.inputs().size(), "a run gives each input a value");
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    const Val* input = fusion.inputs()[i];
    const auto* tensor = std::get_if<TensorInput>(&run.inputs[i].value);
    FUSER_USER_CHECK(run.inputs[i].name == input->name() && (tensor != nullptr) == input->isTensor(), "%",
                     run.inputs[i].name, " is not the input that stands there");
    if (tensor) checkTensor(fusion, *tensor);
    const auto* scalar = std::get_if<ScalarValue>(&run.inputs[i].value);
    FUSER_USER_CHECK(!scalar || scalar->dtype() == input->dtype(), "%", input->name(), " is ", input->dtype());
  }
}

}  // namespace fuser::fuzz
