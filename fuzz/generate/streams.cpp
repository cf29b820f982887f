// Stream axes, drawn.

#include "fuzz/generate/streams.h"

#include <algorithm>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/host_ir/standalone_op.h"

namespace fuser::fuzz {
namespace {

ExpressionEvaluator sizesOf(const Case& testCase, const Run& run) {
  ExpressionEvaluator evaluator(*testCase.fusion);
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    const auto* tensor = std::get_if<TensorInput>(&run.inputs[i].value);
    if (tensor) evaluator.bindSizes(testCase.fusion->inputs().at(i)->as<TensorView>(), tensor->sizes);
  }
  return evaluator;
}

// Of what scalars decide, nobody knows here.
bool hasFewPlaces(const Fusion& fusion, std::vector<ExpressionEvaluator>& runs, IntExpr size, int64_t maxTurns) {
  bool known = true;
  forEachSymbol(size, [&](IntExpr symbol) { known &= fusion.scalarOf(symbol) == nullptr; });
  return known && std::all_of(runs.begin(), runs.end(),
                              [&](ExpressionEvaluator& run) { return run.evaluate(size) <= maxTurns; });
}

}  // namespace

bool spreadOverStreams(Case& testCase, Choices& choices, int64_t maxTurns) {
  if (testCase.schedule || !testCase.segmentSchedules.empty() || testCase.fusion->hasStreams()) return false;
  std::vector<ExpressionEvaluator> runs;
  for (const Run& run : testCase.runs) runs.push_back(sizesOf(testCase, run));
  const double share = choices.chance(0.5) ? 0.9 : 0.5;
  bool changed = false;
  for (const Expr* expr : testCase.fusion->exprs()) {
    if (expr->isScalarExpr()) continue;
    const std::vector<IterDomain*> axes = expr->output()->as<TensorView>()->axes();
    std::vector<IterDomain*> fitting;
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      if (whyNoSlices(expr, axis).empty() && hasFewPlaces(*testCase.fusion, runs, axes[axis]->size(), maxTurns)) fitting.push_back(axes[axis]);
    }
    if (fitting.empty() || !choices.chance(share)) continue;
    // Outer axes mostly: neighbours that take the same one share a loop.
    (choices.chance(0.7) ? fitting.front() : choices.pick(fitting))->parallelize(ParallelType::Stream);
    changed = true;
  }
  return changed;
}

}  // namespace fuser::fuzz
