#include "fuser/types/int_expr.h"

#include <algorithm>
#include <numeric>

#include "fuser/support/check.h"
#include "fuser/types/int_terms.h"

namespace fuser {
namespace {

// Sizes come from files: an absurd one is its author's error, not a small one by wrapping round.
int64_t checkedSum(int64_t a, int64_t b) {
  int64_t result = 0;
  FUSER_USER_CHECK(!__builtin_add_overflow(a, b, &result), "the size ", a, " + ", b, " is outside of the range of i64");
  return result;
}

int64_t checkedProduct(int64_t a, int64_t b) {
  int64_t result = 0;
  FUSER_USER_CHECK(!__builtin_mul_overflow(a, b, &result), "the size ", a, " * ", b, " is outside of the range of i64");
  return result;
}

int64_t saturate(__int128 value) { return static_cast<int64_t>(std::clamp<__int128>(value, kRangeMin, kRangeMax)); }

Range addRange(Range a, Range b) {
  return {saturate(static_cast<__int128>(a.low) + b.low), saturate(static_cast<__int128>(a.high) + b.high)};
}

Range mulRange(Range a, Range b) {
  const __int128 corners[] = {static_cast<__int128>(a.low) * b.low, static_cast<__int128>(a.low) * b.high,
                              static_cast<__int128>(a.high) * b.low, static_cast<__int128>(a.high) * b.high};
  return {saturate(*std::min_element(corners, corners + 4)), saturate(*std::max_element(corners, corners + 4))};
}

int64_t floorDivide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  const int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

Range divRange(Range a, Range b) {
  if (b.low < 0) return {kRangeMin, kRangeMax};
  const int64_t smallest = std::max<int64_t>(b.low, 1);
  const int64_t largest = std::max<int64_t>(b.high, 1);
  const Range range{a.low < 0 ? floorDivide(a.low, smallest) : floorDivide(a.low, largest),
                    a.high < 0 ? floorDivide(a.high, largest) : floorDivide(a.high, smallest)};
  return b.low == 0 ? Range{std::min<int64_t>(range.low, 0), std::max<int64_t>(range.high, 0)} : range;
}

// Of a product without a constant.
void collectFactors(IntExpr expr, std::vector<IntExpr>& factors) {
  if (expr->op != IntOp::Mul) {
    factors.push_back(expr);
    return;
  }
  collectFactors(expr->a, factors);
  collectFactors(expr->b, factors);
}

}  // namespace

void collectTerms(IntExpr expr, std::vector<IntExpr>& terms) {
  if (expr->op == IntOp::Add) {
    collectTerms(expr->a, terms);
    collectTerms(expr->b, terms);
  } else {
    terms.push_back(expr);
  }
}

Term splitTerm(IntExpr term) {
  if (term->isConstant()) return {term->value, nullptr};
  if (term->op == IntOp::Mul && term->b->isConstant()) return {term->b->value, term->a};
  return {1, term};
}

int64_t commonCoefficient(IntExpr expr) {
  if (expr->op != IntOp::Add) return 1;
  std::vector<IntExpr> terms;
  collectTerms(expr, terms);
  int64_t common = 0;
  for (IntExpr term : terms) common = std::gcd(common, splitTerm(term).coefficient);
  return common;
}

size_t IntExprArena::KeyHash::operator()(const Key& key) const {
  size_t hash = static_cast<size_t>(key.op) * 0x9e3779b97f4a7c15ull + static_cast<size_t>(key.value);
  hash = (hash ^ (key.a ? key.a->id + 1 : 0)) * 0xff51afd7ed558ccdull;
  hash = (hash ^ (key.b ? key.b->id + 1 : 0)) * 0xc4ceb9fe1a85ec53ull;
  return hash ^ (hash >> 32);
}

IntExpr IntExprArena::intern(IntOp op, int64_t value, IntExpr a, IntExpr b, Range range) {
  const Key key{op, value, a, b};
  const auto found = interned_.find(key);
  if (found != interned_.end()) return found->second;
  nodes_.push_back(std::make_unique<IntNode>(IntNode{op, value, a, b, range, static_cast<uint32_t>(nodes_.size())}));
  interned_.emplace(key, nodes_.back().get());
  return nodes_.back().get();
}

IntExpr IntExprArena::constant(int64_t value) {
  return intern(IntOp::Constant, value, nullptr, nullptr, {value, value});
}

IntExpr IntExprArena::symbol(std::string name, Range range) {
  const IntExpr expr = intern(IntOp::Symbol, static_cast<int64_t>(symbols_.size()), nullptr, nullptr, range);
  symbols_.push_back({std::move(name), nullptr, nullptr, expr});
  return expr;
}

IntExpr IntExprArena::index(std::string name, IntExpr extent) {
  if (extent->isConstant(1)) return constant(0);
  const IntExpr expr = symbol(std::move(name), {0, std::max<int64_t>(extent->range.high - 1, 0)});
  symbols_.back().extent = extent;
  return expr;
}

IntExpr IntExprArena::loaded(std::string name, IntExpr low, IntExpr extent) {
  const int64_t least = saturate(low->range.low);
  const IntExpr expr = symbol(std::move(name), {least, std::max(saturate(__int128{extent->range.high} - 1), least)});
  symbols_.back().low = low;
  symbols_.back().extent = extent;
  return expr;
}

// Canonical form of a sum: flat, like terms combined, ordered by id, the constant last.
IntExpr IntExprArena::add(IntExpr a, IntExpr b) {
  if (a->isConstant() && b->isConstant()) return constant(checkedSum(a->value, b->value));
  if (a->isConstant(0)) return b;
  if (b->isConstant(0)) return a;
  std::vector<IntExpr> terms;
  collectTerms(a, terms);
  collectTerms(b, terms);
  std::vector<Term> joined;
  int64_t offset = 0;
  for (IntExpr term : terms) {
    const Term split = splitTerm(term);
    if (!split.rest) {
      offset = checkedSum(offset, split.coefficient);
      continue;
    }
    const auto same = std::find_if(joined.begin(), joined.end(), [&](const Term& t) { return t.rest == split.rest; });
    if (same == joined.end()) {
      joined.push_back(split);
    } else {
      same->coefficient = checkedSum(same->coefficient, split.coefficient);
    }
  }
  std::erase_if(joined, [](const Term& t) { return t.coefficient == 0; });
  // x // n * n + x % n = x
  for (size_t i = 0; i < joined.size(); ++i) {
    const IntExpr remainder = joined[i].rest;
    if (remainder->op != IntOp::Mod) continue;
    const IntExpr whole = mul(mul(floorDiv(remainder->a, remainder->b), remainder->b), constant(joined[i].coefficient));
    const Term wanted = splitTerm(whole);
    const auto match = std::find_if(joined.begin(), joined.end(), [&](const Term& t) {
      return t.rest == wanted.rest && t.coefficient == wanted.coefficient;
    });
    if (match == joined.end()) continue;
    const IntExpr product = mul(remainder->a, constant(joined[i].coefficient));
    IntExpr sum = constant(offset);
    for (size_t j = 0; j < joined.size(); ++j) {
      if (j == i || &joined[j] == &*match) continue;
      sum = add(sum, mul(joined[j].rest, constant(joined[j].coefficient)));
    }
    return add(sum, product);
  }
  std::sort(joined.begin(), joined.end(), [](const Term& x, const Term& y) { return x.rest->id < y.rest->id; });
  IntExpr sum = nullptr;
  for (const Term& term : joined) {
    const IntExpr product = mul(term.rest, constant(term.coefficient));
    sum = sum ? intern(IntOp::Add, 0, sum, product, addRange(sum->range, product->range)) : product;
  }
  if (!sum) return constant(offset);
  if (offset == 0) return sum;
  const IntExpr last = constant(offset);
  return intern(IntOp::Add, 0, sum, last, addRange(sum->range, last->range));
}

// Canonical form of a product: flat, ordered by id, the constant as the right operand of the root. A sum is a factor
// without what its terms have in common: x * (6 * y - 6) is x * (y - 1) * 6.
IntExpr IntExprArena::mul(IntExpr a, IntExpr b) {
  if (a->isConstant() && b->isConstant()) return constant(checkedProduct(a->value, b->value));
  if (a->isConstant()) std::swap(a, b);
  if (b->isConstant(0)) return b;
  if (b->isConstant(1)) return a;
  if (b->isConstant()) {
    if (a->op == IntOp::Mul && a->b->isConstant()) return mul(a->a, constant(checkedProduct(a->b->value, b->value)));
    if (a->op == IntOp::Add) return add(mul(a->a, b), mul(a->b, b));
    return intern(IntOp::Mul, 0, a, b, mulRange(a->range, b->range));
  }
  const Term left = splitTerm(a);
  const Term right = splitTerm(b);
  if (left.coefficient != 1 || right.coefficient != 1) {
    return mul(mul(left.rest, right.rest), constant(checkedProduct(left.coefficient, right.coefficient)));
  }
  const int64_t common = checkedProduct(commonCoefficient(a), commonCoefficient(b));
  if (common != 1) return mul(mul(withoutCommon(a), withoutCommon(b)), constant(common));
  std::vector<IntExpr> factors;
  collectFactors(a, factors);
  collectFactors(b, factors);
  return product(std::move(factors));
}

IntExpr IntExprArena::withoutCommon(IntExpr a) {
  const int64_t common = commonCoefficient(a);
  if (common == 1) return a;
  std::vector<IntExpr> terms;
  collectTerms(a, terms);
  IntExpr sum = constant(0);
  for (IntExpr term : terms) {
    const Term split = splitTerm(term);
    const IntExpr part = constant(split.coefficient / common);
    sum = add(sum, split.rest ? mul(split.rest, part) : part);
  }
  return sum;
}

IntExpr IntExprArena::product(std::vector<IntExpr> factors) {
  std::sort(factors.begin(), factors.end(), [](IntExpr x, IntExpr y) { return x->id < y->id; });
  IntExpr result = factors.empty() ? constant(1) : factors.front();
  for (size_t i = 1; i < factors.size(); ++i) {
    result = intern(IntOp::Mul, 0, result, factors[i], mulRange(result->range, factors[i]->range));
  }
  return result;
}

IntExpr IntExprArena::exactQuotient(IntExpr a, IntExpr b) {
  if (!a || b->isConstant() || (b->op == IntOp::Mul && b->b->isConstant())) return nullptr;
  std::vector<IntExpr> factors, divisors;
  collectFactors(a, factors);
  collectFactors(b, divisors);
  for (IntExpr divisor : divisors) {
    const auto found = std::find(factors.begin(), factors.end(), divisor);
    if (found == factors.end()) return nullptr;
    factors.erase(found);
  }
  return product(std::move(factors));
}

// (q * n + r) // n = q + r // n, where q * n are the terms that n divides; null when there are none.
IntExpr IntExprArena::divideSum(IntExpr a, IntExpr b) {
  std::vector<IntExpr> terms;
  collectTerms(a, terms);
  IntExpr quotient = constant(0);
  IntExpr rest = constant(0);
  for (IntExpr term : terms) {
    const Term split = splitTerm(term);
    if (b->isConstant() && split.coefficient % b->value == 0) {
      const IntExpr scale = constant(split.coefficient / b->value);
      quotient = add(quotient, split.rest ? mul(split.rest, scale) : scale);
    } else if (const IntExpr other = exactQuotient(split.rest, b)) {
      quotient = add(quotient, mul(other, constant(split.coefficient)));
    } else {
      rest = add(rest, term);
    }
  }
  return quotient->isConstant(0) ? nullptr : add(quotient, floorDiv(rest, b));
}

// (q * n + r) % n = r % n, where q * n are the terms that n divides; null when there are none.
IntExpr IntExprArena::modSum(IntExpr a, IntExpr b) {
  std::vector<IntExpr> terms;
  collectTerms(a, terms);
  IntExpr rest = constant(0);
  bool dropped = false;
  for (IntExpr term : terms) {
    const Term split = splitTerm(term);
    const bool multiple = (b->isConstant() && split.coefficient % b->value == 0) || exactQuotient(split.rest, b);
    if (multiple) {
      dropped = true;
    } else {
      rest = add(rest, term);
    }
  }
  return dropped ? mod(rest, b) : nullptr;
}

IntExpr IntExprArena::floorDiv(IntExpr a, IntExpr b) {
  if (b->isConstant(1) || a->isConstant(0)) return a;
  if (a->isConstant() && b->isConstant()) return constant(floorDivide(a->value, b->value));
  if (b->isConstant(0)) return b;
  if (a->range.low >= 0 && provablyLess(a, b)) return constant(0);
  if (b->range.low > 0 || !b->isConstant()) {
    if (IntExpr divided = divideSum(a, b)) return divided;
  }
  // (x // m) // n = x // (m * n)
  if (a->op == IntOp::FloorDiv && a->b->isConstant() && b->isConstant() && b->value > 0 && a->b->value > 0) {
    int64_t divisor = 0;
    if (!__builtin_mul_overflow(a->b->value, b->value, &divisor)) return floorDiv(a->a, constant(divisor));
  }
  return intern(IntOp::FloorDiv, 0, a, b, divRange(a->range, b->range));
}

IntExpr IntExprArena::mod(IntExpr a, IntExpr b) {
  if (b->isConstant(1)) return constant(0);
  if (a->isConstant(0)) return a;
  if (b->isConstant(0)) return b;
  if (a->isConstant() && b->isConstant()) return constant(a->value - floorDivide(a->value, b->value) * b->value);
  if (a->range.low >= 0 && provablyLess(a, b)) return a;
  if (IntExpr reduced = modSum(a, b)) return reduced;
  const int64_t high = std::max<int64_t>(b->range.high - 1, 0);
  return intern(IntOp::Mod, 0, a, b, {0, a->range.low >= 0 ? std::min(high, a->range.high) : high});
}

IntExpr IntExprArena::min(IntExpr a, IntExpr b) {
  if (provablyAtMost(a, b)) return a;
  if (provablyAtMost(b, a)) return b;
  if (b->id < a->id) std::swap(a, b);
  return intern(IntOp::Min, 0, a, b, {std::min(a->range.low, b->range.low), std::min(a->range.high, b->range.high)});
}

IntExpr IntExprArena::max(IntExpr a, IntExpr b) {
  if (provablyAtMost(b, a)) return a;
  if (provablyAtMost(a, b)) return b;
  if (b->id < a->id) std::swap(a, b);
  return intern(IntOp::Max, 0, a, b, {std::max(a->range.low, b->range.low), std::max(a->range.high, b->range.high)});
}

// Canonical form of a meet: flat, ordered by id, without repeats.
IntExpr IntExprArena::meet(IntExpr a, IntExpr b) {
  if (a->isConstant(1)) return b;
  if (b->isConstant(1)) return a;
  if (b->isConstant() || (!a->isConstant() && b->range.low > 1)) return b;
  if (a->isConstant() || a->range.low > 1) return a;
  std::vector<IntExpr> sizes = sizesThatMeet(a);
  const std::vector<IntExpr> others = sizesThatMeet(b);
  sizes.insert(sizes.end(), others.begin(), others.end());
  std::sort(sizes.begin(), sizes.end(), [](IntExpr x, IntExpr y) { return x->id < y->id; });
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  IntExpr result = sizes.front();
  for (size_t i = 1; i < sizes.size(); ++i) {
    const Range range{std::min(result->range.low, sizes[i]->range.low),
                      std::max(result->range.high, sizes[i]->range.high)};
    result = intern(IntOp::Meet, 0, result, sizes[i], range);
  }
  return result;
}

std::vector<IntExpr> sizesThatMeet(IntExpr expr) {
  if (expr->op != IntOp::Meet) return {expr};
  std::vector<IntExpr> sizes = sizesThatMeet(expr->a);
  sizes.push_back(expr->b);
  return sizes;
}

IntExpr IntExprArena::less(IntExpr a, IntExpr b) {
  if (provablyLess(a, b)) return constant(1);
  if (a == b || a->range.low >= b->range.high) return constant(0);
  return intern(IntOp::Less, 0, a, b, {0, 1});
}

IntExpr IntExprArena::equal(IntExpr a, IntExpr b) {
  if (a == b) return constant(1);
  if (a->range.high < b->range.low || b->range.high < a->range.low) return constant(0);
  if (b->id < a->id) std::swap(a, b);
  return intern(IntOp::Equal, 0, a, b, {0, 1});
}

IntExpr IntExprArena::conjunction(IntExpr a, IntExpr b) {
  if (a == b || b->isConstant(1)) return a;
  if (a->isConstant(1) || b->isConstant(0)) return b;
  if (a->isConstant(0)) return a;
  return intern(IntOp::And, 0, a, b, {0, 1});
}

bool IntExprArena::provablyLess(IntExpr a, IntExpr b) const {
  if (a->range.high < b->range.low) return true;
  if (a->isSymbol() && symbolOf(a).extent == b) return true;
  if (a->op == IntOp::Mod && a->b == b) return true;
  if (a->op == IntOp::Mod && a->a->range.low >= 0 && provablyLess(a->a, b)) return true;
  // x // m < n when x < m * n
  if (a->op == IntOp::FloorDiv && a->a->isSymbol()) {
    const IntExpr extent = symbolOf(a->a).extent;
    if (extent && extent->op == IntOp::Mul &&
        ((extent->a == b && extent->b == a->b) || (extent->b == b && extent->a == a->b))) {
      return true;
    }
  }
  return false;
}

namespace {

// A lower bound of b - a, from the ranges of the terms that do not cancel.
int64_t leastDifference(IntExpr a, IntExpr b) {
  std::vector<Term> joined;
  bool overflow = false;
  const auto join = [&](IntExpr sum, int64_t sign) {
    std::vector<IntExpr> terms;
    collectTerms(sum, terms);
    for (IntExpr term : terms) {
      const Term split = splitTerm(term);
      const auto same = std::find_if(joined.begin(), joined.end(), [&](const Term& t) { return t.rest == split.rest; });
      if (same == joined.end()) {
        joined.push_back({sign * split.coefficient, split.rest});
      } else {
        overflow |= __builtin_add_overflow(same->coefficient, sign * split.coefficient, &same->coefficient);
      }
    }
  };
  join(b, 1);
  join(a, -1);
  if (overflow) return kRangeMin;
  Range sum{0, 0};
  for (const Term& term : joined) {
    const Range factor{term.coefficient, term.coefficient};
    sum = addRange(sum, term.rest ? mulRange(term.rest->range, factor) : factor);
  }
  return sum.low;
}

}  // namespace

bool IntExprArena::provablyAtMost(IntExpr a, IntExpr b) const {
  if (a == b || a->range.high <= b->range.low) return true;
  if (b->isSymbol() && symbolOf(b).low == a) return true;
  if (a->op == IntOp::Min && (provablyAtMost(a->a, b) || provablyAtMost(a->b, b))) return true;
  if (b->op == IntOp::Max && (provablyAtMost(a, b->a) || provablyAtMost(a, b->b))) return true;
  // x // n <= x
  if (a->op == IntOp::FloorDiv && a->b->range.low >= 1 && a->a->range.low >= 0 && provablyAtMost(a->a, b)) return true;
  return leastDifference(a, b) >= 0;
}

IntExpr IntExprArena::import(IntExpr expr, const std::function<IntExpr(IntExpr)>& map) {
  if (expr->isConstant()) return constant(expr->value);
  if (expr->isSymbol()) return map(expr);
  const IntExpr a = import(expr->a, map);
  return join(expr->op, a, import(expr->b, map));
}

IntExpr IntExprArena::join(IntOp op, IntExpr a, IntExpr b) {
  switch (op) {
    case IntOp::Constant:
    case IntOp::Symbol: break;
    case IntOp::Add: return add(a, b);
    case IntOp::Mul: return mul(a, b);
    case IntOp::FloorDiv: return floorDiv(a, b);
    case IntOp::Mod: return mod(a, b);
    case IntOp::Min: return min(a, b);
    case IntOp::Max: return max(a, b);
    case IntOp::Meet: return meet(a, b);
    case IntOp::Less: return less(a, b);
    case IntOp::Equal: return equal(a, b);
    case IntOp::And: return conjunction(a, b);
  }
  FUSER_CHECK(false, "bad IntOp");
}

int64_t evaluate(IntExpr expr, const std::function<int64_t(IntExpr symbol)>& valueOf) {
  if (expr->isConstant()) return expr->value;
  if (expr->isSymbol()) return valueOf(expr);
  const int64_t a = evaluate(expr->a, valueOf);
  if (expr->op == IntOp::And && a == 0) return 0;
  const int64_t b = evaluate(expr->b, valueOf);
  switch (expr->op) {
    case IntOp::Constant:
    case IntOp::Symbol: break;
    case IntOp::Add: return checkedSum(a, b);
    case IntOp::Mul: return checkedProduct(a, b);
    case IntOp::FloorDiv: return b == -1 ? checkedProduct(a, -1) : floorDivide(a, b);
    case IntOp::Mod: return b == 0 || b == -1 ? 0 : a - floorDivide(a, b) * b;
    case IntOp::Min: return std::min(a, b);
    case IntOp::Max: return std::max(a, b);
    case IntOp::Meet: return a == 1 ? b : a;
    case IntOp::Less: return a < b;
    case IntOp::Equal: return a == b;
    case IntOp::And: return b != 0;
  }
  FUSER_CHECK(false, "bad IntOp");
}

bool isCondition(IntExpr expr) { return expr->op == IntOp::Less || expr->op == IntOp::Equal || expr->op == IntOp::And; }

std::vector<IntExpr> partsOf(IntExpr condition) {
  if (condition->op != IntOp::And) return {condition};
  std::vector<IntExpr> parts = partsOf(condition->a);
  const std::vector<IntExpr> others = partsOf(condition->b);
  parts.insert(parts.end(), others.begin(), others.end());
  return parts;
}

void forEachSymbol(IntExpr expr, const std::function<void(IntExpr)>& visit) {
  if (expr->isSymbol()) visit(expr);
  if (expr->a) forEachSymbol(expr->a, visit);
  if (expr->b) forEachSymbol(expr->b, visit);
}

std::string toString(IntExpr expr, const std::function<std::string(IntExpr symbol)>& nameOf) {
  if (expr->isConstant()) return std::to_string(expr->value);
  if (expr->isSymbol()) return nameOf(expr);
  const std::string a = toString(expr->a, nameOf);
  const std::string b = toString(expr->b, nameOf);
  switch (expr->op) {
    case IntOp::Constant:
    case IntOp::Symbol: break;
    case IntOp::Add: return "(" + a + " + " + b + ")";
    case IntOp::Mul: return "(" + a + " * " + b + ")";
    case IntOp::FloorDiv: return "(" + a + " // " + b + ")";
    case IntOp::Mod: return "(" + a + " % " + b + ")";
    case IntOp::Min: return "min(" + a + ", " + b + ")";
    case IntOp::Max: return "max(" + a + ", " + b + ")";
    case IntOp::Meet: return "meet(" + a + ", " + b + ")";
    case IntOp::Less: return "(" + a + " < " + b + ")";
    case IntOp::Equal: return "(" + a + " == " + b + ")";
    case IntOp::And: return "(" + a + " && " + b + ")";
  }
  FUSER_CHECK(false, "bad IntOp");
}

}  // namespace fuser
