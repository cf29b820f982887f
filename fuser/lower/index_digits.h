#pragma once
// An index as a number whose digits are its terms: from the digits follows whether equal elements have equal threads
// (synchronize.cpp).

#include <array>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "fuser/types/int_expr.h"

namespace fuser {

// A term of an index: coefficient * symbol, and the padding that it skips, each a coefficient and a divisor of the
// symbol: of t + t / 32 * 2, {1, t, {{2, 32}}}. The larger the symbol, the larger the term.
struct Digit {
  int64_t coefficient = 0;
  IntExpr symbol = nullptr;
  std::vector<std::pair<int64_t, int64_t>> padding = {};
  int64_t size() const { return symbol->range.high + 1; }
  // The largest value of the term, if that is less than kRangeMax.
  std::optional<int64_t> most() const {
    int64_t all = coefficient;
    for (const auto& [each, divisor] : padding) all += each;
    if (all <= 0 || size() > kRangeMax / all) return std::nullopt;
    int64_t value = coefficient * (size() - 1);
    for (const auto& [each, divisor] : padding) value += each * ((size() - 1) / divisor);
    return value;
  }
};

// The terms of an index from small to large coefficients; none if one is not a product of a constant and a symbol.
// `most` gives the largest value of a symbol here: x % 9 is x where x is less than 9, and x / 9 is 0.
std::optional<std::vector<Digit>> digitsOf(IntExpr index, const std::function<int64_t(IntExpr)>& most);

// The place of a symbol's digit: its coefficient, if what is below is less and what is above are multiples of the whole
// digit, so that index / coefficient % size is the symbol.
std::optional<int64_t> placeOf(IntExpr symbol, const std::vector<Digit>& digits);

// The terms of the sum that an index is; itself if it is none.
std::vector<IntExpr> summandsOf(IntExpr index);

// An index as a constant and a sum of coefficients times expressions.
struct Terms {
  int64_t constant = 0;
  std::vector<std::pair<int64_t, IntExpr>> products;
};
Terms termsOf(IntExpr index);

// An index without what padding and shifts of rows add, which keep elements apart, and what those were: equal indices
// with equal ones have equal plain indices.
struct PlainIndex {
  IntExpr index = nullptr;
  std::vector<std::array<int64_t, 3>> skews;
  bool shifted = false;  // then only if all digits of the plain indices are equal, since shifts are of digits
};
PlainIndex plainIndex(IntExprArena& ints, IntExpr index);

}  // namespace fuser
