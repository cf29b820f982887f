#include "fuser/codegen/opposite_ifs.h"

#include <algorithm>

namespace fuser {
namespace {

// The c of `c == 0`, if it is a condition; else null.
IntExpr negated(IntExpr expr) {
  if (expr->op != IntOp::Equal) return nullptr;
  const IntExpr other = expr->a->isConstant(0) ? expr->b : expr->b->isConstant(0) ? expr->a : nullptr;
  return other && isCondition(other) ? other : nullptr;
}

// Whether, behind the first `shared` parts, `one` has one part, which is the opposite of all that `other` has.
bool isOpposite(const std::vector<IntExpr>& one, const std::vector<IntExpr>& other, size_t shared) {
  if (one.size() != shared + 1) return false;
  const IntExpr condition = negated(one.back());
  return condition &&
         partsOf(condition) == std::vector<IntExpr>(other.begin() + static_cast<std::ptrdiff_t>(shared), other.end());
}

}  // namespace

std::optional<OppositeIfs> oppositeIfs(IntExpr first, IntExpr second) {
  const std::vector<IntExpr> a = partsOf(first);
  const std::vector<IntExpr> b = partsOf(second);
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  const size_t shared = static_cast<size_t>(end - a.begin());
  if (!isOpposite(a, b, shared) && !isOpposite(b, a, shared)) return std::nullopt;
  return OppositeIfs{{a.begin(), end}, {end, a.end()}};
}

}  // namespace fuser
