// The rules, in the order in which they are tried:
//   c * a - c * min(a, b)          ->  c * max(a - b, 0)
//   c * max(a, b) - c * a          ->  c * max(b - a, 0)
//   c * min(a, m) - c * min(a, n)  ->  c * min(max(a - n, 0), m - n)    m >= n, two numbers
//   max(max(a, b) + r, q)          ->  max(a + r, q)                    where b + r <= q
//   max(r - min(a, b), q)          ->  max(r - a, q)                    where r - b <= q; and both for min
//   (max(a, m) + n) // k           ->  max((a + n) // k, (m + n) // k)  three numbers; and for min

#include "fuser/types/simplify_extremes.h"

#include <algorithm>
#include <unordered_map>

#include "fuser/support/check.h"
#include "fuser/types/int_terms.h"

namespace fuser {
namespace {

bool isExtreme(IntExpr expr) { return expr->op == IntOp::Min || expr->op == IntOp::Max; }

// min(a, number) as a pair; null and 0 for anything else.
std::pair<IntExpr, int64_t> clampedAbove(IntExpr expr) {
  if (!expr || expr->op != IntOp::Min) return {nullptr, 0};
  if (expr->b->isConstant()) return {expr->a, expr->b->value};
  if (expr->a->isConstant()) return {expr->b, expr->a->value};
  return {nullptr, 0};
}

class Simplifier {
 public:
  explicit Simplifier(IntExprArena& ints) : ints_(ints) {}

  IntExpr simplify(IntExpr expr) {
    if (!expr->a) return expr;
    const auto known = results_.find(expr);
    if (known != results_.end()) return known->second;
    return results_[expr] = join(expr->op, simplify(expr->a), simplify(expr->b));
  }

 private:
  IntExpr join(IntOp op, IntExpr a, IntExpr b) {
    switch (op) {
      case IntOp::Add: return add(a, b);
      case IntOp::FloorDiv: return floorDiv(a, b);
      case IntOp::Min:
      case IntOp::Max: return extreme(op, a, b);
      case IntOp::Constant:
      case IntOp::Symbol:
      case IntOp::Mul:
      case IntOp::Mod:
      case IntOp::Meet:
      case IntOp::Less:
      case IntOp::Equal:
      case IntOp::And: return ints_.join(op, a, b);
    }
    FUSER_CHECK(false, "bad IntOp");
  }

  IntExpr times(IntExpr expr, int64_t scale) { return ints_.mul(expr, ints_.constant(scale)); }
  IntExpr sub(IntExpr a, IntExpr b) { return add(a, times(b, -1)); }

  IntExpr add(IntExpr a, IntExpr b) {
    const IntExpr sum = ints_.add(a, b);
    std::vector<IntExpr> terms;
    collectTerms(sum, terms);
    if (terms.size() == 1) return sum;
    for (IntExpr term : terms) {
      if (const IntExpr shorter = withoutWhatCancels(sum, terms, term)) return shorter;
      if (const IntExpr shorter = asOneRange(sum, terms, term)) return shorter;
    }
    return sum;
  }

  // Whether scale * a cancels with terms of the sum, all of it but a number.
  static bool cancels(const std::vector<IntExpr>& sum, IntExpr a, int64_t scale) {
    std::vector<IntExpr> terms;
    collectTerms(a, terms);
    return std::all_of(terms.begin(), terms.end(), [&](IntExpr each) {
      const Term term = splitTerm(each);
      return !term.rest || std::any_of(sum.begin(), sum.end(), [&](IntExpr candidate) {
        const Term other = splitTerm(candidate);
        return other.rest == term.rest && other.coefficient == -scale * term.coefficient;
      });
    });
  }

  IntExpr withoutWhatCancels(IntExpr sum, const std::vector<IntExpr>& terms, IntExpr term) {
    const auto [scale, inner] = splitTerm(term);
    if (!inner || !isExtreme(inner)) return nullptr;
    const bool isMin = inner->op == IntOp::Min;
    for (const auto& [a, b] : {std::pair(inner->a, inner->b), std::pair(inner->b, inner->a)}) {
      if (a->isConstant() || !cancels(terms, a, scale)) continue;
      const IntExpr others = ints_.add(ints_.sub(sum, term), times(a, scale));
      const IntExpr beyond = extreme(IntOp::Max, isMin ? sub(a, b) : sub(b, a), ints_.constant(0));
      return add(others, times(beyond, isMin ? -scale : scale));
    }
    return nullptr;
  }

  IntExpr asOneRange(IntExpr sum, const std::vector<IntExpr>& terms, IntExpr term) {
    const auto [scale, upper] = splitTerm(term);
    const auto [size, above] = clampedAbove(upper);
    if (!size) return nullptr;
    for (IntExpr other : terms) {
      const auto [otherScale, lower] = splitTerm(other);
      const auto [same, below] = clampedAbove(lower);
      if (same != size || below > above || otherScale != -scale) continue;
      const IntExpr behind = extreme(IntOp::Max, sub(size, ints_.constant(below)), ints_.constant(0));
      const IntExpr range = extreme(IntOp::Min, behind, ints_.constant(above - below));
      return add(ints_.sub(ints_.sub(sum, term), other), times(range, scale));
    }
    return nullptr;
  }

  // Division is monotone.
  IntExpr floorDiv(IntExpr a, IntExpr b) {
    std::vector<IntExpr> terms;
    collectTerms(a, terms);
    const IntExpr offset = ints_.constant(terms.size() == 2 && terms[1]->isConstant() ? terms[1]->value : 0);
    const bool one = terms.size() == (offset->isConstant(0) ? 1 : 2) && isExtreme(terms[0]);
    if (!one || !b->isConstant() || b->value <= 0) return ints_.floorDiv(a, b);
    const IntExpr left = terms[0]->a, right = terms[0]->b;
    if (!left->isConstant() && !right->isConstant()) return ints_.floorDiv(a, b);
    return extreme(terms[0]->op, floorDiv(add(left, offset), b), floorDiv(add(right, offset), b));
  }

  // min or max.
  IntExpr extreme(IntOp op, IntExpr a, IntExpr b) {
    if (const IntExpr decides = decidingAlternative(op, a, b)) return extreme(op, decides, b);
    if (const IntExpr decides = decidingAlternative(op, b, a)) return extreme(op, a, decides);
    return op == IntOp::Max ? ints_.max(a, b) : ints_.min(a, b);
  }

  // A sum is op(one, other) of its two alternatives at a term that is an extreme: the one that decides beside the
  // bound, where the other never does; null where neither is known.
  IntExpr decidingAlternative(IntOp op, IntExpr sum, IntExpr bound) {
    std::vector<IntExpr> terms;
    collectTerms(sum, terms);
    for (IntExpr term : terms) {
      const auto [scale, inner] = splitTerm(term);
      if (!inner || !isExtreme(inner) || (inner->op == op) != (scale > 0)) continue;
      const IntExpr rest = ints_.sub(sum, term);
      const IntExpr one = add(rest, times(inner->a, scale));
      const IntExpr other = add(rest, times(inner->b, scale));
      const auto isIdle = [&](IntExpr alternative) {
        return op == IntOp::Max ? ints_.provablyAtMost(alternative, bound) : ints_.provablyAtMost(bound, alternative);
      };
      if (isIdle(other)) return one;
      if (isIdle(one)) return other;
    }
    return nullptr;
  }

  IntExprArena& ints_;
  std::unordered_map<IntExpr, IntExpr> results_;  // look-ups only
};

}  // namespace

IntExpr simplifyExtremes(IntExprArena& ints, IntExpr expr) { return Simplifier(ints).simplify(expr); }

}  // namespace fuser
