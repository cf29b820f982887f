// Sizes of runs.

#include "fuzz/generate/run_sizes.h"

#include <algorithm>

#include "fuser/case/recipe_data.h"
#include "fuser/support/set_up_error.h"

namespace fuser::fuzz {

RunSizes::RunSizes(const Case& testCase) : fusion_(*testCase.fusion) {
  for (const Run& run : testCase.runs) {
    ExpressionEvaluator& evaluator = runs_.emplace_back(fusion_);
    for (size_t i = 0; i < run.inputs.size(); ++i) {
      const Val* input = fusion_.inputs().at(i);
      const auto* tensor = std::get_if<TensorInput>(&run.inputs[i].value);
      if (!tensor) {
        evaluator.bindScalar(input, std::get<ScalarValue>(run.inputs[i].value));
        continue;
      }
      evaluator.bindSizes(input->as<TensorView>(), tensor->sizes);
      if (!input->as<TensorView>()->isCpuScalar() || tensor->recipe.kind == RecipeKind::View) continue;
      std::byte element[sizeof(double)];
      writeElement(tensor->recipe, tensor->dtype, 0, element);
      evaluator.bindElement(input->as<TensorView>(), elementAt(tensor->dtype, element));
    }
  }
}

bool RunSizes::isKnown(IntExpr extent) const {
  bool known = true;
  forEachSymbol(extent, [&](IntExpr symbol) { known &= fusion_.scalarOf(symbol) == nullptr; });
  return known;
}

bool RunSizes::all(IntExpr extent, const std::function<bool(int64_t)>& fits) {
  return isKnown(extent) &&
         std::all_of(runs_.begin(), runs_.end(), [&](ExpressionEvaluator& run) { return fits(run.evaluate(extent)); });
}

std::optional<int64_t> RunSizes::of(IntExpr extent, size_t run) {
  try {
    return runs_.at(run).evaluate(extent);
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return std::nullopt;
  }
}

}  // namespace fuser::fuzz
