#include "fuser/types/int_expr.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "fuser/support/check.h"
#include "fuser/types/simplify_extremes.h"
#include "fuser/types/term_count.h"

namespace fuser {
namespace {

// An expression built twice: simplified in an arena, and as a value by plain arithmetic under one binding of symbols.
struct ExprPair {
  IntExpr expr;
  int64_t value;
};

class Twice {
 public:
  // Two extents (possibly 0 is left to the loops' own tests) and an index inside each.
  Twice() {
    for (int i = 0; i < 2; ++i) {
      const int64_t extent = *rc::gen::inRange<int64_t>(1, 9);
      const IntExpr symbol = ints_.symbol("n" + std::to_string(i));
      bind(symbol, extent);
      leaves_.push_back({symbol, extent});
      const IntExpr index = ints_.index("i" + std::to_string(i), symbol);
      const int64_t value = *rc::gen::inRange<int64_t>(0, extent);
      bind(index, value);
      leaves_.push_back({index, value});
    }
    // A loaded index between minus the first extent and the second, one of its ends.
    const ExprPair first = leaves_[0], second = leaves_[2];
    const IntExpr low = ints_.mul(first.expr, ints_.constant(-1));
    const IntExpr loaded = ints_.loaded("q", low, second.expr);
    const int64_t inside = *rc::gen::inRange<int64_t>(-first.value, second.value);
    bind(loaded, inside);
    leaves_.push_back({loaded, inside});
    leaves_.push_back({low, -first.value});
    const IntExpr sign = ints_.symbol("s", {-6, 6});
    const int64_t either = *rc::gen::inRange<int64_t>(-6, 7);
    bind(sign, either);
    leaves_.push_back({sign, either});
    const IntExpr thread = ints_.index("t", ints_.constant(4));
    const int64_t lane = *rc::gen::inRange<int64_t>(0, 4);
    bind(thread, lane);
    leaves_.push_back({thread, lane});
  }

  ExprPair draw(int depth) {
    const int kind = depth == 0 ? *rc::gen::inRange(0, 2) : *rc::gen::inRange(0, 9);
    if (kind == 0) {
      const int64_t value = *rc::gen::inRange<int64_t>(-2, 5);
      return {ints_.constant(value), value};
    }
    if (kind == 1) return leaves_[*rc::gen::inRange<size_t>(0, leaves_.size())];
    const ExprPair a = draw(depth - 1);
    const ExprPair b = draw(depth - 1);
    const int64_t divisor = std::max<int64_t>(b.value, 1);
    const IntExpr divisorExpr = ints_.max(b.expr, ints_.constant(1));
    switch (kind) {
      case 2: return {ints_.add(a.expr, b.expr), a.value + b.value};
      case 3: return {ints_.mul(a.expr, b.expr), a.value * b.value};
      case 4: return {ints_.floorDiv(a.expr, divisorExpr), floorOf(a.value, divisor)};
      case 5: return {ints_.mod(a.expr, divisorExpr), a.value - floorOf(a.value, divisor) * divisor};
      case 6: return {ints_.min(a.expr, b.expr), std::min(a.value, b.value)};
      case 7: return {ints_.max(a.expr, b.expr), std::max(a.value, b.value)};
      default: return {ints_.less(a.expr, b.expr), a.value < b.value ? 1 : 0};
    }
  }

  static int64_t floorOf(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
  int64_t evaluated(IntExpr expr) const {
    return evaluate(expr, [&](IntExpr symbol) { return values_.at(symbol->value); });
  }
  IntExprArena& ints() { return ints_; }
  const std::vector<ExprPair>& leaves() const { return leaves_; }

 private:
  void bind(IntExpr symbol, int64_t value) {
    if (symbol->isSymbol()) values_[symbol->value] = value;
  }

  IntExprArena ints_;
  std::vector<ExprPair> leaves_;
  std::unordered_map<int64_t, int64_t> values_;
};

RC_GTEST_PROP(IntExprTest, SimplificationKeepsTheValue, ()) {
  Twice twice;
  const ExprPair drawn = twice.draw(5);
  RC_ASSERT(twice.evaluated(drawn.expr) == drawn.value);
}

RC_GTEST_PROP(SimplifyExtremesTest, KeepsTheValue, ()) {
  Twice twice;
  const ExprPair drawn = twice.draw(5);
  RC_ASSERT(twice.evaluated(simplifyExtremes(twice.ints(), drawn.expr)) == drawn.value);
}

// What slices leave: sums of a size and extremes of it, again and again.
RC_GTEST_PROP(SimplifyExtremesTest, KeepsTheValueOfSizesOfSizes, ()) {
  IntExprArena ints;
  const IntExpr n = ints.symbol("n");
  const int64_t bound = *rc::gen::inRange<int64_t>(0, 30);
  IntExpr size = n;
  int64_t value = bound;
  for (int i = *rc::gen::inRange(1, 8); i > 0; --i) {
    const int64_t low = *rc::gen::inRange<int64_t>(0, 5), high = *rc::gen::inRange<int64_t>(0, 9);
    const IntExpr start = ints.min(size, ints.constant(low));
    const int64_t from = std::min(value, low);
    if (*rc::gen::arbitrary<bool>()) {
      size = ints.max(ints.sub(ints.min(size, ints.constant(high)), start), ints.constant(0));
      value = std::max<int64_t>(std::min(value, high) - from, 0);
    } else if (*rc::gen::arbitrary<bool>()) {
      const IntExpr end = ints.max(ints.add(size, ints.constant(-high)), ints.constant(0));
      size = ints.max(ints.sub(end, start), ints.constant(0));
      value = std::max<int64_t>(std::max<int64_t>(value - high, 0) - from, 0);
    } else {
      size = ints.ceilDiv(ints.sub(size, start), ints.constant(high + 1));
      value = (value - from + high) / (high + 1);
    }
    if (*rc::gen::arbitrary<bool>()) size = simplifyExtremes(ints, size);
  }
  const IntExpr simplified = simplifyExtremes(ints, size);
  RC_ASSERT(evaluate(simplified, [&](IntExpr) { return bound; }) == value);
  RC_ASSERT(evaluate(size, [&](IntExpr) { return bound; }) == value);
  RC_ASSERT(simplified->range.low <= value && value <= simplified->range.high);
}

TEST(SimplifyExtremesTest, ASizeIsMentionedOnce) {
  IntExprArena ints;
  const IntExpr n = ints.symbol("n"), zero = ints.constant(0);
  const auto number = [&](int64_t value) { return ints.constant(value); };
  const auto withoutFirst = [&](IntExpr size) { return ints.sub(size, ints.min(size, number(1))); };
  const auto withoutLast = [&](IntExpr size) { return ints.max(ints.add(size, number(-1)), zero); };
  const auto range = [&](IntExpr size, int64_t from, int64_t to) {
    return ints.max(ints.sub(ints.min(size, number(to)), ints.min(size, number(from))), zero);
  };
  const auto rest = [&](int64_t from) { return ints.max(ints.sub(n, number(from)), zero); };
  EXPECT_EQ(simplifyExtremes(ints, withoutFirst(n)), rest(1));
  EXPECT_EQ(simplifyExtremes(ints, withoutFirst(withoutFirst(withoutFirst(n)))), rest(3));
  EXPECT_EQ(simplifyExtremes(ints, withoutLast(withoutFirst(withoutLast(n)))), rest(3));
  EXPECT_EQ(simplifyExtremes(ints, range(range(n, 2, 9), 1, 5)), ints.min(rest(3), number(4)));
  EXPECT_EQ(simplifyExtremes(ints, ints.min(ints.min(n, number(5)), number(3))), ints.min(n, number(3)));
  EXPECT_EQ(simplifyExtremes(ints, ints.ceilDiv(withoutFirst(n), number(2))), ints.floorDiv(n, number(2)));
}

TEST(IntExprTest, ASumIsAFactorWithoutWhatItsTermsHaveInCommon) {
  IntExprArena ints;
  const IntExpr x = ints.symbol("x"), y = ints.symbol("y");
  const auto number = [&](int64_t value) { return ints.constant(value); };
  const IntExpr sum = ints.add(y, number(-1));
  const IntExpr product = ints.mul(ints.mul(x, sum), number(6));
  EXPECT_EQ(ints.mul(x, ints.mul(sum, number(6))), product);
  EXPECT_EQ(ints.floorDiv(ints.mul(ints.mul(sum, number(18)), x), number(3)), product);
}

RC_GTEST_PROP(IntExprTest, ValueLiesInTheRange, ()) {
  Twice twice;
  const ExprPair drawn = twice.draw(5);
  RC_ASSERT(drawn.expr->range.low <= drawn.value);
  RC_ASSERT(drawn.value <= drawn.expr->range.high);
}

RC_GTEST_PROP(IntExprTest, ProvablyLessIsTrue, ()) {
  Twice twice;
  const ExprPair a = twice.draw(3);
  const ExprPair b = twice.draw(2);
  if (twice.ints().provablyLess(a.expr, b.expr)) RC_ASSERT(a.value < b.value);
}

RC_GTEST_PROP(IntExprTest, ProvablyAtMostIsTrue, ()) {
  Twice twice;
  const ExprPair a = twice.draw(3);
  const ExprPair b = twice.draw(3);
  if (twice.ints().provablyAtMost(a.expr, b.expr)) RC_ASSERT(a.value <= b.value);
}

RC_GTEST_PROP(IntExprTest, ImportIntoAnotherArenaKeepsTheValue, ()) {
  Twice twice;
  const ExprPair drawn = twice.draw(4);
  IntExprArena other;
  std::unordered_map<int64_t, IntExpr> images;
  std::unordered_map<int64_t, IntExpr> back;
  const IntExpr copy = other.import(drawn.expr, [&](IntExpr symbol) {
    IntExpr& image = images[symbol->value];
    if (!image) {
      image = other.symbol(twice.ints().symbolOf(symbol).name, symbol->range);
      back[image->value] = symbol;
    }
    return image;
  });
  RC_ASSERT(evaluate(copy, [&](IntExpr symbol) { return twice.evaluated(back.at(symbol->value)); }) == drawn.value);
}

class IndexingTest : public testing::Test {
 protected:
  IntExprArena ints;
  IntExpr rows = ints.symbol("I");
  IntExpr columns = ints.symbol("J");
};

TEST_F(IndexingTest, FlatteningAndUnflatteningCancel) {
  const IntExpr flat = ints.index("m", ints.mul(rows, columns));
  const IntExpr row = ints.floorDiv(flat, columns);
  const IntExpr column = ints.mod(flat, columns);
  EXPECT_EQ(ints.add(ints.mul(row, columns), column), flat);
  EXPECT_TRUE(ints.less(row, rows)->isConstant(1));
  EXPECT_TRUE(ints.less(column, columns)->isConstant(1));
}

TEST_F(IndexingTest, SplitIndicesComeBack) {
  const IntExpr outer = ints.index("o", ints.ceilDiv(rows, ints.constant(4)));
  const IntExpr inner = ints.index("v", ints.constant(4));
  const IntExpr whole = ints.add(ints.mul(outer, ints.constant(4)), inner);
  EXPECT_EQ(ints.floorDiv(whole, ints.constant(4)), outer);
  EXPECT_EQ(ints.mod(whole, ints.constant(4)), inner);
  EXPECT_FALSE(ints.less(whole, rows)->isConstant());
}

TEST_F(IndexingTest, ALoadedIndexStaysInItsRange) {
  const IntExpr low = ints.mul(columns, ints.constant(-1));
  const IntExpr loaded = ints.loaded("q", low, rows);
  EXPECT_TRUE(ints.less(loaded, rows)->isConstant(1));
  EXPECT_FALSE(ints.less(loaded, columns)->isConstant());
  EXPECT_EQ(ints.max(loaded, low), loaded);
  EXPECT_EQ(ints.min(loaded, low), low);
  EXPECT_FALSE(ints.less(loaded, ints.constant(0))->isConstant());
  const IntExpr natural = ints.loaded("r", ints.constant(0), rows);
  EXPECT_EQ(ints.mod(natural, rows), natural);
  EXPECT_NE(ints.mod(loaded, rows), loaded) << "may be negative";
  EXPECT_TRUE(ints.floorDiv(natural, rows)->isConstant(0));
  EXPECT_EQ(
      ints.floorDiv(ints.add(ints.mul(natural, ints.constant(3)), ints.index("i", ints.constant(3))), ints.constant(3)),
      natural);
  EXPECT_TRUE(ints.less(ints.floorDiv(ints.loaded("m", ints.constant(0), ints.mul(rows, columns)), columns), rows)
                  ->isConstant(1));
}

TEST_F(IndexingTest, ALoadedIndexOfOneValueIsASymbol) {
  const IntExpr only = ints.loaded("q", ints.constant(3), ints.constant(4));
  EXPECT_TRUE(only->isSymbol());
  EXPECT_EQ(only->range, (Range{3, 3}));
  EXPECT_TRUE(ints.less(only, ints.constant(4))->isConstant(1));
  EXPECT_TRUE(ints.equal(only, ints.constant(2))->isConstant(0));
}

TEST_F(IndexingTest, AnIndexOverOneElementIsZero) { EXPECT_TRUE(ints.index("i", ints.constant(1))->isConstant(0)); }

TEST_F(IndexingTest, APartIsAtMostTheWhole) {
  const IntExpr half = ints.floorDiv(rows, ints.constant(2));
  EXPECT_EQ(ints.min(half, rows), half);
  EXPECT_EQ(ints.min(ints.add(rows, ints.constant(3)), rows), rows);
  EXPECT_EQ(ints.max(ints.min(rows, columns), columns), columns);
  EXPECT_EQ(ints.max(ints.sub(ints.mul(rows, ints.constant(2)), columns), ints.sub(rows, columns)),
            ints.sub(ints.mul(rows, ints.constant(2)), columns));
  EXPECT_FALSE(ints.provablyAtMost(rows, columns));
  EXPECT_FALSE(ints.provablyAtMost(rows, half));
}

TEST_F(IndexingTest, AProductIsOneInAnyOrder) {
  const IntExpr x = ints.symbol("x"), y = ints.symbol("y"), z = ints.symbol("z");
  const IntExpr product = ints.mul(ints.mul(x, y), z);
  EXPECT_EQ(ints.mul(ints.mul(x, z), y), product);
  EXPECT_EQ(ints.mul(z, ints.mul(y, x)), product);
  EXPECT_EQ(ints.mul(ints.mul(z, ints.constant(2)), ints.mul(y, x)), ints.mul(product, ints.constant(2)));
  EXPECT_EQ(ints.floorDiv(product, y), ints.mul(x, z));
  EXPECT_EQ(ints.floorDiv(product, ints.mul(z, x)), y);
  EXPECT_TRUE(ints.mod(product, ints.mul(z, x))->isConstant(0));
}

TEST_F(IndexingTest, DivisionByZeroIsZero) {
  const auto zero = [](IntExpr) { return int64_t{0}; };
  EXPECT_EQ(evaluate(ints.floorDiv(rows, columns), zero), 0);
  EXPECT_EQ(evaluate(ints.mod(rows, columns), zero), 0);
}

TEST(IntExprTest, AMeetIsTheSizeThatIsNotOne) {
  IntExprArena ints;
  const IntExpr a = ints.symbol("a"), b = ints.symbol("b"), c = ints.symbol("c");
  const IntExpr met = ints.meet(ints.meet(c, a), b);
  EXPECT_EQ(met, ints.meet(a, ints.meet(b, c))) << "in any order";
  EXPECT_EQ(met, ints.meet(met, c));
  EXPECT_EQ(sizesThatMeet(met), (std::vector<IntExpr>{a, b, c}));
  const auto valueOf = [&](IntExpr expr, std::vector<int64_t> values) {
    return evaluate(expr, [&](IntExpr symbol) { return values.at(static_cast<size_t>(symbol->value)); });
  };
  EXPECT_EQ(valueOf(met, {1, 5, 1}), 5);
  EXPECT_EQ(valueOf(met, {5, 5, 1}), 5);
  EXPECT_EQ(valueOf(met, {1, 0, 1}), 0);
  EXPECT_EQ(valueOf(met, {1, 1, 1}), 1);
  EXPECT_EQ(ints.meet(a, a), a);
  EXPECT_EQ(ints.meet(ints.constant(1), a), a);
  const IntExpr four = ints.constant(4), more = ints.add(a, ints.constant(2));
  EXPECT_EQ(ints.meet(a, four), four);
  EXPECT_EQ(ints.meet(four, more), four) << "a number says more than a size above 1";
  EXPECT_EQ(ints.meet(more, four), four);
  EXPECT_EQ(ints.meet(a, more), more);
}

TEST(IntExprTest, NumbersOutsideOfTheRangeOfI64AreTheCallersError) {
  IntExprArena ints;
  const IntExpr large = ints.constant(int64_t{1} << 62), n = ints.symbol("n");
  EXPECT_THROW(ints.mul(large, ints.constant(2)), UserError);
  EXPECT_THROW(ints.add(large, large), UserError);
  EXPECT_THROW(ints.mul(ints.mul(n, large), ints.constant(2)), UserError);
  EXPECT_THROW(ints.add(ints.mul(n, large), ints.mul(n, large)), UserError);
  EXPECT_EQ(ints.sub(large, large), ints.constant(0));
  const IntExpr any = ints.symbol("any", {0, kRangeMax}), half = ints.constant(int64_t{1} << 32);
  const IntExpr quotient = ints.floorDiv(ints.floorDiv(any, half), half);
  EXPECT_EQ(evaluate(quotient, [](IntExpr) { return kRangeMax; }), 0);
}

TEST(TermCountTest, ASharedSubexpressionCountsOncePerMention) {
  IntExprArena ints;
  const IntExpr n = ints.symbol("n"), m = ints.symbol("m");
  IntExpr doubled = ints.min(n, m);
  for (int i = 0; i < 60; ++i) doubled = ints.max(ints.mod(doubled, m), ints.mod(doubled, n));
  EXPECT_FALSE(hasAtMostTerms(doubled, 4096, 4096));
  const IntExpr four = ints.add(ints.min(n, m), ints.max(n, m));
  EXPECT_TRUE(hasAtMostTerms(four, 7, 2));  // (min(n, m) + max(n, m))
  EXPECT_FALSE(hasAtMostTerms(four, 6, 2));
  EXPECT_FALSE(hasAtMostTerms(four, 7, 1));
  IntExpr flat = n;
  for (int i = 0; i < 9; ++i) flat = ints.add(flat, ints.symbol("s"));
  EXPECT_TRUE(hasAtMostTerms(flat, 11, 1));
  EXPECT_FALSE(hasAtMostTerms(flat, 10, 1));
  EXPECT_TRUE(hasAtMostTerms(ints.constant(-1), 2, 1));  // (-1)
  EXPECT_FALSE(hasAtMostTerms(ints.constant(-1), 1, 1));
}

}  // namespace
}  // namespace fuser
