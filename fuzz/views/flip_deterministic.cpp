// What a scatter adds, atomics add in any order, or threads in one.

#include <algorithm>

#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool flipDeterministic(Case& testCase, uint64_t) {
  const std::vector<Expr*> exprs = testCase.fusion->exprs();
  const bool adds = std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) {
    return expr->family() == Family::Scatter && expr->info().combine == OpKind::Add;
  });
  if (!adds) return false;
  testCase.options.deterministic = !testCase.options.deterministic;
  return true;
}

}  // namespace fuser::fuzz
