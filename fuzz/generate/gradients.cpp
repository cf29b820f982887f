#include "fuzz/generate/gradients.h"

#include <algorithm>
#include <optional>

#include "fuser/gradients/backward_case.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/generate/run_cost.h"

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

}  // namespace

bool takeGradients(Case& testCase, const GeneratorOptions& options) {
  if (options.exactData) return false;
  std::optional<Case> made = gradientsOf(testCase);
  if (!made || made->runs.size() != testCase.runs.size() || !mayDraw(*made->fusion, options)) return false;
  if (made->fusion->liveExprs().size() > 3 * static_cast<size_t>(options.maxExpressions)) return false;
  for (const Run& run : made->runs) {
    if (runCost(*made, run) > static_cast<double>(options.maxCaseElements)) return false;
  }
  testCase = std::move(*made);
  return true;
}

}  // namespace fuser::fuzz
