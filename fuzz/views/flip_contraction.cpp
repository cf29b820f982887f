// With `option enable contraction`, sums take products unrounded; and the other way round.

#include <algorithm>

#include "fuser/ir/fusion.h"
#include "fuser/ops/op_table.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {
namespace {

// Whether lowering may make an fma of it and what adds it (fuser/lower/contract.cpp).
bool isProduct(const Expr* expr) {
  const bool multiplies = expr->op() == OpKind::Mul || isWelford(expr->op());
  return multiplies && expr->output()->isTensor() && isFloating(expr->output()->dtype());
}

}  // namespace

bool flipContraction(Case& testCase, uint64_t) {
  const std::vector<Expr*> exprs = testCase.fusion->exprs();
  if (std::none_of(exprs.begin(), exprs.end(), isProduct)) return false;
  testCase.options.contraction = !testCase.options.contraction;
  return true;
}

}  // namespace fuser::fuzz
