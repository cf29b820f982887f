#include "fuzz/compilers/regroup.h"

#include <algorithm>

#include "fuser/ops/op_table.h"
#include "fuzz/compilers/ancestors.h"

namespace fuser::fuzz {
namespace {

struct RegroupRow {
  std::string_view target;
  Regroups what;
};
constexpr RegroupRow kRegroups[] = {
#define LIBERTY(target, dtype, as, why)
#define SELECTS_PRODUCTS(target, why)
#define REGROUPS(target, what, why) {target, Regroups::what},
#include "fuzz/compilers/liberties.def"
#undef LIBERTY
#undef SELECTS_PRODUCTS
#undef REGROUPS
};

// Literals, and what is computed of them alone: a compiler folds it.
bool isMadeOfConstants(const Val& val) {
  return !anyAncestor(val, [](const Val& one) {
    const bool isLiteral = one.isScalar() && one.as<Scalar>()->isConstant();
    return !one.definition() && !isLiteral;
  });
}

bool hasConstant(const Expr& expr) {
  return std::any_of(expr.inputs().begin(), expr.inputs().end(),
                     [](const Val* val) { return isMadeOfConstants(*val); });
}

bool merges(Regroups what, const Expr& expr) {
  const OpKind op = expr.op();
  switch (what) {
    case Regroups::Constants:
      if (op == OpKind::Neg || op == OpKind::Deg2rad || op == OpKind::Rad2deg || op == OpKind::LeakyRelu) return true;
      return hasConstant(expr) && (op == OpKind::Add || op == OpKind::Sub || op == OpKind::Mul || op == OpKind::Div ||
                                   op == OpKind::Addcmul || op == OpKind::Addcdiv || op == OpKind::Lerp);
    case Regroups::Quotients:
      // A quotient by an exponential function or a power is a product with that of the negative exponent.
      return op == OpKind::Div || op == OpKind::Reciprocal || op == OpKind::TruncDiv || op == OpKind::FloorDiv ||
             op == OpKind::Addcdiv || op == OpKind::Mul || op == OpKind::Exp || op == OpKind::Pow;
  }
  return false;
}

// The expression whose elements an operand only moves; null: it is an input or a literal.
const Expr* behindMoves(const Val& operand) {
  const Expr* definition = operand.definition();
  while (definition && !isPointwise(definition->op()) && !isReduction(definition->op()) &&
         definition->op() != OpKind::Cast && definition->inputs().size() == 1)
    definition = definition->input(0)->definition();
  return definition;
}

void collect(Regroups what, const Expr& expr, std::vector<const Expr*>& chain) {
  chain.push_back(&expr);
  for (const Val* operand : expr.inputs()) {
    const Expr* inner = behindMoves(*operand);
    const bool isNew = inner && std::find(chain.begin(), chain.end(), inner) == chain.end();
    if (isNew && isFloating(operand->dtype()) && merges(what, *inner)) collect(what, *inner, chain);
  }
}

bool divides(const Expr* expr) {
  return expr->op() != OpKind::Mul && expr->op() != OpKind::Exp && expr->op() != OpKind::Pow;
}

}  // namespace

std::vector<const Expr*> regrouped(const Expr& expr, std::string_view target) {
  for (const RegroupRow& row : kRegroups) {
    if (row.target != target || !merges(row.what, expr)) continue;
    std::vector<const Expr*> chain;
    collect(row.what, expr, chain);
    // Products alone are not regrouped.
    const bool isOfQuotients = row.what == Regroups::Constants || std::any_of(chain.begin(), chain.end(), divides);
    if (chain.size() > 1 && isOfQuotients) return chain;
  }
  return {};
}

}  // namespace fuser::fuzz
