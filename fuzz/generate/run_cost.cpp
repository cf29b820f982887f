#include "fuzz/generate/run_cost.h"

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/gradients/backward_case.h"
#include "fuser/ir/fusion.h"

namespace fuser::fuzz {

double runCost(const Case& testCase, const Run& run) {
  constexpr double kTurnsAnElement = 4;  // each turn is cheap
  const Fusion& fusion = *testCase.fusion;
  ExpressionEvaluator sizes(fusion);
  gradients::bindRun(sizes, testCase, run);
  const auto elements = [&](const Val* val) {
    return static_cast<double>(checkedNumel(sizes.sizes(val->as<TensorView>())).value_or(kMaxElements));
  };
  double cost = 0;
  for (const Val* val : fusion.usedVals()) {
    if (val->isTensor()) cost += elements(val);
  }
  for (const Expr* expr : fusion.exprs()) {
    if (expr->family() != Family::Scatter) continue;
    const Dims indices = sizes.sizes(expr->input(1)->as<TensorView>());
    const auto column = static_cast<double>(indices[static_cast<size_t>(expr->attributes().dim())]);
    cost += elements(expr->output()) * column / kTurnsAnElement;
  }
  return cost;
}

}  // namespace fuser::fuzz
