// The rank test against numbers that can be counted by hand, its symmetries, and the interval.

#include "reports/rank_test.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace reports {
namespace {

TEST(DistributionOfUTest, CountsOrders) {
  // 3 of x and 2 of y: 10 orders, with 1 1 2 2 2 1 1 pairs for U = 0 … 6.
  const std::vector<double> cumulative = distributionOfU(3, 2);
  const double expected[] = {0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0};
  ASSERT_EQ(cumulative.size(), 7u);
  for (size_t u = 0; u < 7; ++u) EXPECT_DOUBLE_EQ(cumulative[u], expected[u]);
}

// All orders of n and m values, counted.
TEST(DistributionOfUTest, AgreesWithCountingAllOrders) {
  const size_t n = 4, m = 5;
  std::vector<double> counts(n * m + 1, 0);
  std::vector<int> isY(n + m, 0);
  std::fill(isY.begin() + n, isY.end(), 1);
  double orders = 0;
  do {
    size_t u = 0, x = 0;
    for (int y : isY) {
      if (y) {
        u += x;
      } else {
        ++x;
      }
    }
    ++counts[u];
    ++orders;
  } while (std::next_permutation(isY.begin(), isY.end()));
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  const std::vector<double> cumulative = distributionOfU(n, m);
  for (size_t u = 0; u < counts.size(); ++u) EXPECT_NEAR(cumulative[u], counts[u] / orders, 1e-12);
}

TEST(MannWhitneyTest, DisjointSamplesHaveTheSmallestPValue) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8, 9}, y = {11, 12, 13, 14, 15, 16, 17, 18, 19};
  const RankTest test = mannWhitney(x, y);
  EXPECT_EQ(test.u, 81);
  EXPECT_NEAR(test.p, 2.0 / 48620, 1e-12);  // 18 choose 9
  EXPECT_EQ(mannWhitney(y, x).p, test.p);
}

TEST(MannWhitneyTest, EqualValuesGiveNoEvidence) {
  EXPECT_EQ(mannWhitney({2, 2, 2}, {2, 2, 2, 2}).p, 1);
  EXPECT_GT(mannWhitney({1, 2, 3}, {1, 2, 3}).p, 0.9);
}

// With ties the normal approximation stands in; for the example the variance by hand: n m / 12 (N + 1 - sum / (N (N -
// 1))) = 9 * 9 / 12 * (19 - 2 * 6 / 306).
TEST(MannWhitneyTest, TiesAreCorrected) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8, 10}, y = {8, 10, 11, 12, 13, 14, 15, 16, 17};
  const RankTest test = mannWhitney(x, y);
  EXPECT_EQ(test.u, 81 - 1 - 0.5 - 0.5);  // 8 < 10 is lost, two ties count half
  const double variance = 81.0 / 12 * (19 - 12.0 / 306);
  EXPECT_NEAR(test.p, std::erfc((test.u - 40.5 - 0.5) / std::sqrt(2 * variance)), 1e-12);
}

// The p of equal distributions is at most a in at most a share a of draws.
TEST(MannWhitneyTest, RejectsEqualDistributionsNoMoreOftenThanItsLevel) {
  uint64_t state = 12345;
  const auto draw = [&state] {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state >> 11);
  };
  int below = 0;
  const int draws = 4000;
  for (int i = 0; i < draws; ++i) {
    std::vector<double> x(9), y(9);
    for (double& value : x) value = draw();
    for (double& value : y) value = draw();
    below += mannWhitney(x, y).p <= 0.05;
  }
  EXPECT_LE(below, draws * 0.06);
  EXPECT_GE(below, draws * 0.02);
}

TEST(ShiftTest, IsTheMedianDifferenceWithAnIntervalAroundIt) {
  const Shift shift = shiftOf({1, 2, 3, 4, 5, 6, 7, 8, 9}, {11, 12, 13, 14, 15, 16, 17, 18, 19}, 0.95);
  EXPECT_EQ(shift.estimate, 10);
  EXPECT_LT(shift.low, 10);
  EXPECT_GT(shift.high, 10);
  EXPECT_GT(shift.low, 5);
  EXPECT_LT(shift.high, 15);
}

TEST(ShiftTest, TooFewValuesGiveAnUnboundedInterval) {
  const Shift shift = shiftOf({1, 2}, {3, 4}, 0.95);
  EXPECT_EQ(shift.low, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(shift.high, std::numeric_limits<double>::infinity());
}

TEST(ShiftTest, TheIntervalHasItsStatedCoverage) {
  uint64_t state = 99;
  const auto draw = [&state] {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  int inside = 0, insideLarge = 0;
  const int draws = 1500;
  for (int i = 0; i < draws; ++i) {
    std::vector<double> x(9), y(9), manyX(25), manyY(25);
    for (double& value : x) value = draw();
    for (double& value : y) value = draw() + 0.5;
    for (double& value : manyX) value = draw();
    for (double& value : manyY) value = draw() + 0.5;
    const Shift shift = shiftOf(x, y, 0.95), large = shiftOf(manyX, manyY, 0.95);
    inside += shift.low <= 0.5 && 0.5 <= shift.high;
    insideLarge += large.low <= 0.5 && 0.5 <= large.high;
  }
  EXPECT_GE(inside, draws * 0.94);
  EXPECT_LE(inside, draws * 0.98);
  EXPECT_GE(insideLarge, draws * 0.935);
  EXPECT_LE(insideLarge, draws * 0.975);
}

RC_GTEST_PROP(ShiftTest, ShiftingTheSampleShiftsTheEstimate, ()) {
  const auto value = rc::gen::map(rc::gen::inRange(-1000, 1000), [](int i) { return static_cast<double>(i); });
  const auto x = *rc::gen::container<std::vector<double>>(9, value);
  const auto y = *rc::gen::container<std::vector<double>>(12, value);
  std::vector<double> moved = y;
  for (double& each : moved) each += 64;
  const Shift before = shiftOf(x, y, 0.9), after = shiftOf(x, moved, 0.9);
  RC_ASSERT(after.estimate == before.estimate + 64);
  RC_ASSERT(after.low == before.low + 64 && after.high == before.high + 64);
  RC_ASSERT(before.low <= before.estimate && before.estimate <= before.high);
}

}  // namespace
}  // namespace reports
