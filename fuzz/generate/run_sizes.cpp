// Sizes of runs.

#include "fuzz/generate/run_sizes.h"

#include <algorithm>

namespace fuser::fuzz {

RunSizes::RunSizes(const Case& testCase) : fusion_(*testCase.fusion) {
  for (const Run& run : testCase.runs) {
    ExpressionEvaluator& evaluator = runs_.emplace_back(fusion_);
    for (size_t i = 0; i < run.inputs.size(); ++i) {
      const auto* tensor = std::get_if<TensorInput>(&run.inputs[i].value);
      if (tensor) evaluator.bindSizes(fusion_.inputs().at(i)->as<TensorView>(), tensor->sizes);
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
  if (!isKnown(extent)) return std::nullopt;
  return runs_.at(run).evaluate(extent);
}

}  // namespace fuser::fuzz
