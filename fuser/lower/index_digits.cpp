#include "fuser/lower/index_digits.h"

#include <algorithm>

namespace fuser {
namespace {

// Moves what pads a symbol's term, x / 32 * 2 beside x, to it. False if there is no such term.
bool joinPadding(std::vector<Digit>& digits, std::vector<Digit>& divided) {
  for (const Digit& each : divided) {
    const auto own =
        std::find_if(digits.begin(), digits.end(), [&](const Digit& digit) { return digit.symbol == each.symbol->a; });
    if (own == digits.end()) return false;
    own->padding.emplace_back(each.coefficient, each.symbol->b->value);
  }
  for (Digit& digit : digits) std::sort(digit.padding.begin(), digit.padding.end());
  return true;
}

// Whether each term is more than what smaller ones and a padded row, x + x / row * elements, can be together.
bool isAbove(IntExpr others, IntExpr rows, int64_t elements) {
  Terms terms = termsOf(others);
  const Range x = rows->a->range;
  if (terms.products.empty()) return terms.constant == 0;
  if (terms.constant != 0 || x.low < 0 || x.high > kRangeMax / 2 / (elements + 1)) return false;
  std::sort(terms.products.begin(), terms.products.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  int64_t below = x.high + x.high / rows->b->value * elements;
  for (const auto& [coefficient, expr] : terms.products) {
    if (coefficient <= below || expr->range.low < 0) return false;
    const bool bounded = expr->range.high <= (kRangeMax - below) / coefficient;
    below = bounded ? below + coefficient * expr->range.high : kRangeMax;
  }
  return true;
}

// Of i * n + (j + i) % n, i * n + j: i has a place of its own, and j is less than n.
void unshift(IntExprArena& ints, IntExpr rest, IntExpr shifted, PlainIndex& plain) {
  const int64_t size = shifted->b->value;
  const Terms ofRow = termsOf(rest), ofSum = termsOf(shifted->a);
  IntExpr own = ints.constant(ofSum.constant);
  std::vector<std::array<int64_t, 3>> skews;
  for (const auto& [coefficient, expr] : ofSum.products) {
    const auto place = std::find_if(ofRow.products.begin(), ofRow.products.end(),
                                    [symbol = expr](const auto& term) { return term.second == symbol; });
    if (place == ofRow.products.end()) {
      own = ints.add(own, ints.mul(expr, ints.constant(coefficient)));
    } else {
      skews.push_back({place->first, size, coefficient});
    }
  }
  const bool rows = ofRow.constant % size == 0 && std::all_of(ofRow.products.begin(), ofRow.products.end(),
                                                              [&](const auto& term) { return term.first % size == 0; });
  if (!rows || own->range.low < 0 || own->range.high >= size) return;
  plain.index = ints.add(rest, own);
  plain.shifted = true;
  std::sort(skews.begin(), skews.end());
  plain.skews.insert(plain.skews.end(), skews.begin(), skews.end());
}

}  // namespace

std::optional<std::vector<Digit>> digitsOf(IntExpr index, const std::function<int64_t(IntExpr)>& most) {
  const auto isBelow = [&](IntExpr symbol, IntExpr limit) {
    return symbol->isSymbol() && symbol->range.low == 0 && limit->isConstant() && most(symbol) < limit->value;
  };
  std::vector<Digit> digits, divided;
  for (IntExpr term : summandsOf(index)) {
    Digit digit{1, term};
    if (term->op == IntOp::Mul) {
      const bool left = term->a->isConstant();
      digit = {(left ? term->a : term->b)->value, left ? term->b : term->a};
      if (!left && !term->b->isConstant()) return std::nullopt;
    }
    const IntExpr inner = digit.symbol;
    if (inner->isConstant(0) || (inner->op == IntOp::FloorDiv && isBelow(inner->a, inner->b))) continue;
    if (inner->op == IntOp::Mod && isBelow(inner->a, inner->b)) digit.symbol = inner->a;
    if (inner->op == IntOp::FloorDiv && inner->b->isConstant() && inner->b->value > 0 && digit.coefficient > 0) {
      divided.push_back(digit);
      continue;
    }
    if (!digit.symbol->isSymbol() || digit.symbol->range.low != 0 || digit.coefficient <= 0) return std::nullopt;
    digits.push_back(digit);
  }
  if (!joinPadding(digits, divided)) return std::nullopt;
  std::sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.coefficient < b.coefficient; });
  return digits;
}

std::optional<int64_t> placeOf(IntExpr symbol, const std::vector<Digit>& digits) {
  const auto own = std::find_if(digits.begin(), digits.end(), [&](const Digit& d) { return d.symbol == symbol; });
  if (own == digits.end()) return std::nullopt;
  if (std::any_of(digits.begin(), digits.end(), [](const Digit& d) { return !d.padding.empty(); })) return std::nullopt;
  const bool last = own + 1 == digits.end();  // then its size does not matter
  if (!last && own->size() > kRangeMax / own->coefficient) return std::nullopt;
  int64_t below = 0;
  for (auto digit = digits.begin(); digit != own; ++digit) {
    if (digit->size() > own->coefficient) return std::nullopt;
    below += digit->coefficient * (digit->size() - 1);
  }
  const int64_t whole = last ? 0 : own->coefficient * own->size();
  const bool above =
      std::all_of(own + 1, digits.end(), [&](const Digit& digit) { return digit.coefficient % whole == 0; });
  return below < own->coefficient && above ? std::optional(own->coefficient) : std::nullopt;
}

std::vector<IntExpr> summandsOf(IntExpr index) {
  std::vector<IntExpr> summands, open{index};
  while (!open.empty()) {
    const IntExpr term = open.back();
    open.pop_back();
    if (term->op == IntOp::Add) {
      open.insert(open.end(), {term->a, term->b});
    } else {
      summands.push_back(term);
    }
  }
  return summands;
}

Terms termsOf(IntExpr index) {
  Terms terms;
  for (IntExpr term : summandsOf(index)) {
    if (term->isConstant()) {
      terms.constant += term->value;
    } else if (term->op == IntOp::Mul && (term->a->isConstant() || term->b->isConstant())) {
      const bool left = term->a->isConstant();
      terms.products.emplace_back((left ? term->a : term->b)->value, left ? term->b : term->a);
    } else {
      terms.products.emplace_back(1, term);
    }
  }
  return terms;
}

PlainIndex plainIndex(IntExprArena& ints, IntExpr index) {
  PlainIndex plain{index, {}};
  const Terms terms = termsOf(index);
  for (const auto& [coefficient, expr] : terms.products) {
    const bool divides = expr->op == IntOp::FloorDiv || expr->op == IntOp::Mod;
    if (!divides || !expr->b->isConstant() || expr->b->value < 1 || coefficient < 1) continue;
    const IntExpr rest = ints.sub(index, ints.mul(expr, ints.constant(coefficient)));
    if (expr->op == IntOp::FloorDiv && isAbove(ints.sub(rest, expr->a), expr, coefficient)) {
      PlainIndex unpadded = plainIndex(ints, rest);  // of x + x / row * elements, x
      unpadded.skews.push_back({0, expr->b->value, coefficient});
      return unpadded;
    } else if (expr->op == IntOp::Mod && coefficient == 1) {
      unshift(ints, rest, expr, plain);
    }
  }
  return plain;
}

}  // namespace fuser
