#include "fuser/types/term_count.h"

#include <algorithm>
#include <cmath>

namespace fuser {
namespace {

// Takes what the expression's text has from the budget, which ends at 0; as it does where the expression is too deep.
// Sums of sums and products of products are flat.
void takeTerms(IntExpr expr, IntOp around, size_t depth, size_t& budget) {
  if (budget == 0) return;
  --budget;
  if (!expr->a) {
    const bool inParentheses = expr->isConstant() && expr->value < 0;
    if (inParentheses && budget > 0) --budget;
    if (inParentheses && depth == 0) budget = 0;
    return;
  }
  const bool flat = expr->op == around && (expr->op == IntOp::Add || expr->op == IntOp::Mul);
  if (flat) ++budget;
  if (!flat && depth == 0) budget = 0;
  const size_t inside = flat ? depth : depth - 1;
  for (IntExpr part : {expr->a, expr->b}) {
    if (budget > 0) takeTerms(part, expr->op, inside, budget);
  }
}

}  // namespace

bool hasAtMostTerms(IntExpr expr, size_t most, size_t depth) {
  size_t budget = most + 1;
  takeTerms(expr, IntOp::Symbol, depth, budget);
  return budget > 0;
}

double numberBound(IntExpr expr) {
  if (expr->isConstant()) return std::max(1.0, std::abs(static_cast<double>(expr->value)));
  if (!expr->a) return 1;
  const double a = numberBound(expr->a), b = numberBound(expr->b);
  return expr->op == IntOp::Mul ? a * b : expr->op == IntOp::Add ? a + b : std::max(a, b);
}

}  // namespace fuser
