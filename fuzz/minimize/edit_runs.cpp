// %x = values [1, 2, 3, 4, 5, 6] : i64[2, 3]   becomes   %x = values [1, 2, 4, 5] : i64[2, 2]

#include <algorithm>

#include "fuser/case/recipe_data.h"
#include "fuzz/minimize/rebuilding.h"

namespace fuser::fuzz {
namespace {

// Of listed values, the first along each axis stay. kept: of each axis, how many.
std::vector<ScalarValue> firstOf(const std::vector<ScalarValue>& listed, const Dims& sizes, const Dims& kept) {
  std::vector<ScalarValue> values;
  for (int64_t index = 0; index < numel(sizes); ++index) {
    bool inside = true;
    int64_t rest = index;
    for (size_t axis = sizes.size(); axis-- > 0;) {
      inside &= rest % sizes[axis] < kept[axis];
      rest /= sizes[axis];
    }
    if (inside) values.push_back(listed.at(static_cast<size_t>(index)));
  }
  return values;
}

// Dropped axes and new sizes.
void changeSizes(const Rebuilding& rebuilding, const Val* val, TensorInput& tensor) {
  const Dims old = tensor.sizes;
  Dims left = old;  // of each old axis: how many of its elements stay
  Dims sizes;
  const std::vector<bool> kept = rebuilding.kept.axes(val->as<TensorView>());
  for (size_t i = 0; i < old.size(); ++i) {
    const auto size = rebuilding.change.sizes.find({val->id(), i});
    if (size != rebuilding.change.sizes.end()) left[i] = size->second;
    if (kept.at(i)) sizes.push_back(left[i]);
    if (!kept.at(i)) left[i] = 1;
  }
  const bool isOnce = static_cast<int64_t>(tensor.recipe.values.size()) != numel(old);  // one value for all
  if (tensor.recipe.kind == RecipeKind::Values && left != old && !isOnce) {
    tensor.recipe.values = firstOf(tensor.recipe.values, old, left);
  }
  // What the strides of the other axes were made for is gone.
  if (sizes.size() != old.size()) tensor.strides.reset();
  std::optional<Peak>& peak = tensor.recipe.peak;
  if (peak && peak->axis != kAllAxes) {
    const auto end = kept.begin() + peak->axis;
    if (!*end) {
      peak.reset();
    } else {
      peak->axis = std::count(kept.begin(), end, true);
    }
  }
  tensor.sizes = sizes;
}

void changeDtype(TensorInput& tensor, DataType dtype) {
  if (tensor.dtype == dtype) return;
  tensor.dtype = dtype;
  tensor.recipe.peak.reset();
  Recipe& recipe = tensor.recipe;
  if (recipe.kind != RecipeKind::Values) recipe = plainRecipe(dtype, recipe.seed);
  const DataType kind = isFloating(dtype) ? DataType::Double : dtype == DataType::Bool ? dtype : DataType::Int64;
  for (ScalarValue& value : recipe.values) value = value.castTo(kind);
}

void makePlain(TensorInput& tensor) {
  tensor.strides.reset();
  tensor.offset = 0;
}

RunInput keptInput(const Rebuilding& rebuilding, const Val* val, RunInput input) {
  TensorInput* tensor = std::get_if<TensorInput>(&input.value);
  if (!tensor) return input;
  if (rebuilding.change.plainLayouts.count(val->id())) makePlain(*tensor);
  changeSizes(rebuilding, val, *tensor);
  changeDtype(*tensor, rebuilding.dtypeOfInput(val));
  const std::vector<Val*>& inputs = rebuilding.old.inputs();
  const bool lost =
      tensor->recipe.kind == RecipeKind::View && std::none_of(inputs.begin(), inputs.end(), [&](const Val* other) {
        return other != val && rebuilding.kept.has(other) && rebuilding.names.of(other) == tensor->recipe.viewOf;
      });
  if (lost) {
    tensor->recipe = plainRecipe(tensor->dtype, val->id());
    makePlain(*tensor);
  }
  return input;
}

RunInput newInput(const Rebuilding& rebuilding, const Val* val, size_t run) {
  ExpressionEvaluator& evaluator = *rebuilding.evaluators.at(run);
  if (val->isScalar()) return {rebuilding.names.of(val), evaluator.evaluate(val)};
  TensorInput tensor;
  tensor.dtype = rebuilding.dtypeOfInput(val);
  tensor.sizes = evaluator.sizes(val->as<TensorView>());
  tensor.recipe = rebuilding.makeRecipe(val, run, tensor.dtype, tensor.sizes);
  return {rebuilding.names.of(val), std::move(tensor)};
}

}  // namespace

void editRuns(Rebuilding& rebuilding) {
  const std::vector<Val*>& old = rebuilding.old.inputs();
  for (size_t run = 0; run < rebuilding.edit.runs.size(); ++run) {
    std::vector<RunInput> inputs;
    for (const Val* val : rebuilding.kept.inputs()) {
      const auto place = static_cast<size_t>(std::find(old.begin(), old.end(), val) - old.begin());
      inputs.push_back(place == old.size() ? newInput(rebuilding, val, run)
                                           : keptInput(rebuilding, val, rebuilding.edit.runs[run].inputs.at(place)));
    }
    rebuilding.edit.runs[run].inputs = std::move(inputs);
  }
}

Recipe plainRecipe(DataType dtype, uint64_t seed) {
  Recipe recipe;
  recipe.seed = seed;
  switch (category(dtype)) {
    case Category::Float: recipe.kind = RecipeKind::Normal; break;
    case Category::Int:
      recipe.kind = RecipeKind::Integers;
      recipe.low = 1;
      recipe.high = 8;
      break;
    case Category::Bool:
      recipe.kind = RecipeKind::Integers;
      recipe.low = 0;
      recipe.high = 2;
      break;
  }
  return recipe;
}

}  // namespace fuser::fuzz
