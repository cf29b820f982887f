// Indices as numbers of digits: what a plain index leaves out keeps elements apart.

#include "fuser/lower/index_digits.h"

#include <gtest/gtest.h>

#include <map>

namespace fuser {
namespace {

class IndexDigitsTest : public ::testing::Test {
 protected:
  IntExpr symbol(const char* name, int64_t size) { return ints.index(name, ints.constant(size)); }
  IntExpr number(int64_t value) { return ints.constant(value); }

  std::string text(IntExpr expr) const {
    return toString(expr, [&](IntExpr symbol) { return ints.symbolOf(symbol).name; });
  }

  // Equal values of the index are equal values of the plain one, whatever the symbols are.
  void expectKeepsApart(IntExpr index, size_t skews) {
    const PlainIndex plain = plainIndex(ints, index);
    EXPECT_EQ(plain.skews.size(), skews) << text(index);
    std::map<int64_t, int64_t> plainOf;
    for (int64_t at = 0; at < kI * kJ * kT * kU; ++at) {
      const auto valueOf = [&](IntExpr expr) {
        return expr == i ? at % kI : expr == j ? at / kI % kJ : expr == t ? at / (kI * kJ) % kT : at / (kI * kJ * kT);
      };
      const int64_t value = evaluate(plain.index, valueOf);
      EXPECT_EQ(plainOf.emplace(evaluate(index, valueOf), value).first->second, value) << text(index);
    }
  }

  static constexpr int64_t kI = 3, kJ = 5, kT = 8, kU = 2;
  IntExprArena ints;
  IntExpr i = symbol("i", kI), j = symbol("j", kJ), t = symbol("t", kT), u = symbol("u", kU);
};

// x + x / row * elements, and beside it what is more than that.
TEST_F(IndexDigitsTest, PaddingOfASumIsLeftOut) {
  for (int64_t row : {2, 3, 7, 16}) {
    for (int64_t elements : {1, 4}) {
      const IntExpr sum = ints.add(ints.mul(j, number(kT)), t);
      const IntExpr padded = ints.add(sum, ints.mul(ints.floorDiv(sum, number(row)), number(elements)));
      if (padded->op != IntOp::Add) continue;
      expectKeepsApart(padded, plainIndex(ints, padded).skews.size());
      expectKeepsApart(ints.add(padded, ints.mul(i, number(1000))),
                       plainIndex(ints, ints.add(padded, ints.mul(i, number(1000)))).skews.size());
      // What is less than a padded row may be in the middle of it.
      const IntExpr close = ints.add(padded, ints.mul(i, number(2)));
      expectKeepsApart(close, plainIndex(ints, close).skews.size());
    }
  }
  const IntExpr sum = ints.add(ints.mul(j, number(kT)), t);
  expectKeepsApart(ints.add(sum, ints.mul(ints.floorDiv(sum, number(3)), number(2))), 1);
}

// Terms that are more than a padded row, but together may be as much as another one and a row.
TEST_F(IndexDigitsTest, PaddingBesideTermsThatOverlapIsKept) {
  const IntExpr sum = ints.add(ints.mul(j, number(kT)), t);
  const IntExpr padded = ints.add(sum, ints.mul(ints.floorDiv(sum, number(3)), number(2)));
  const IntExpr others = ints.add(ints.mul(i, number(70)), ints.mul(u, number(80)));
  expectKeepsApart(ints.add(padded, others), 0);
  expectKeepsApart(ints.add(padded, ints.add(ints.mul(i, number(70)), ints.mul(u, number(210)))), 1);
}

TEST_F(IndexDigitsTest, RowsThatAreShiftedAndPaddedHaveBothLeftOut) {
  const IntExpr shifted = ints.add(ints.mul(j, number(kT)), ints.mod(ints.add(t, j), number(kT)));
  expectKeepsApart(ints.add(shifted, ints.mul(ints.floorDiv(shifted, number(3)), number(2))), 2);
}

TEST_F(IndexDigitsTest, AShiftOfARowIsLeftOut) {
  const IntExpr shifted = ints.mod(ints.add(t, j), number(kT));
  expectKeepsApart(ints.add(ints.mul(j, number(kT)), shifted), 1);
  // By what is no digit of the row: nobody knows it.
  EXPECT_TRUE(plainIndex(ints, ints.add(ints.mul(i, number(kT)), shifted)).skews.empty());
  // Nor is anything known of rows that overlap.
  EXPECT_TRUE(plainIndex(ints, ints.add(ints.mul(j, number(kT - 1)), shifted)).skews.empty());
}

TEST_F(IndexDigitsTest, ASymbolsPaddingBelongsToItsDigit) {
  const IntExpr index =
      ints.add(ints.mul(i, number(12)), ints.add(t, ints.mul(ints.floorDiv(t, number(4)), number(2))));
  const auto digits = digitsOf(index, [](IntExpr symbol) { return symbol->range.high; });
  ASSERT_TRUE(digits.has_value());
  ASSERT_EQ(digits->size(), 2u);
  EXPECT_EQ(digits->front().symbol, t);
  EXPECT_EQ(digits->front().padding, (std::vector<std::pair<int64_t, int64_t>>{{2, 4}}));
  EXPECT_EQ(digits->front().most(), 9);
  EXPECT_FALSE(placeOf(t, *digits).has_value()) << "its digit has gaps";
}

}  // namespace
}  // namespace fuser
