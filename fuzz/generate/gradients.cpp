#include "fuzz/generate/gradients.h"

#include <algorithm>
#include <optional>

#include "fuser/gradients/backward_case.h"
#include "fuser/support/set_up_error.h"

namespace fuser::fuzz {
namespace {

std::optional<Case> gradientsOf(const Case& testCase) {
  try {
    return gradients::backwardCase(testCase).testCase;
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return std::nullopt;
  }
}

bool mayDraw(const Fusion& fusion, const GeneratorOptions& options) {
  const auto isDrawn = [&](const Expr* expr) {
    const bool isInserted = expr->op() == OpKind::Cast || expr->op() == OpKind::Unsqueeze;  // by promotion, too
    return isInserted ||
           ((options.only.empty() || options.only.count(expr->op()) != 0) && options.exclude.count(expr->op()) == 0);
  };
  return std::all_of(fusion.exprs().begin(), fusion.exprs().end(), isDrawn);
}

// The elements of all tensors in a run; of a scatter, which goes through the indices of its column at each place, so
// many turns. Each turn is cheap: kTurnsAnElement are one element.
constexpr double kTurnsAnElement = 4;

double costOf(const Case& testCase, const Run& run) {
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

}  // namespace

bool takeGradients(Case& testCase, const GeneratorOptions& options) {
  if (options.exactData) return false;
  std::optional<Case> made = gradientsOf(testCase);
  if (!made || made->runs.size() != testCase.runs.size() || !mayDraw(*made->fusion, options)) return false;
  if (made->fusion->liveExprs().size() > 3 * static_cast<size_t>(options.maxExpressions)) return false;
  for (const Run& run : made->runs) {
    if (costOf(*made, run) > static_cast<double>(options.maxCaseElements)) return false;
  }
  testCase = std::move(*made);
  return true;
}

}  // namespace fuser::fuzz
