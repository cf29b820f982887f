#include "fuser/types/term_count.h"

namespace fuser {
namespace {

// Takes the names and numbers of the expression from the budget, which ends at 0; as it does where the expression is
// too deep.
void countTerms(IntExpr expr, size_t depth, size_t& budget) {
  if (budget == 0) return;
  if (depth == 0) {
    budget = 0;
  } else if (!expr->a) {
    --budget;
  } else {
    countTerms(expr->a, depth - 1, budget);
    countTerms(expr->b, depth - 1, budget);
  }
}

}  // namespace

bool hasAtMostTerms(IntExpr expr, size_t most, size_t depth) {
  size_t budget = most + 1;
  countTerms(expr, depth, budget);
  return budget > 0;
}

}  // namespace fuser
