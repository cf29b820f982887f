// Numbers as a person reads them.

#include "reports/figures.h"

#include <gtest/gtest.h>

#include <limits>

namespace reports {
namespace {

TEST(FiguresTest, UsesTheSingularForOne) {
  EXPECT_EQ(plural(1, "finding", "findings"), "1 finding");
  EXPECT_EQ(plural(0, "finding", "findings"), "0 findings");
  EXPECT_EQ(plural(2000, "finding", "findings"), "2,000 findings");
}

TEST(FiguresTest, GroupsByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(FiguresTest, CompactFitsACell) {
  EXPECT_EQ(compact(999), "999");
  EXPECT_EQ(compact(1000), "1.0k");
  EXPECT_EQ(compact(9949), "9.9k");
  EXPECT_EQ(compact(9950), "10k");
  EXPECT_EQ(compact(999499), "999k");
  EXPECT_EQ(compact(999500), "1.0M");
  EXPECT_EQ(compact(std::numeric_limits<int64_t>::max()), "9.2E");
}

TEST(FiguresTest, APartialShareIsNeverRoundedToAllOrNothing) {
  EXPECT_EQ(percent(0), "0.00 %");
  EXPECT_EQ(percent(1), "100.00 %");
  EXPECT_EQ(percent(0.5), "50.00 %");
  EXPECT_EQ(percent(1e-9), "<0.01 %");
  EXPECT_EQ(percent(1 - 1e-9), ">99.99 %");
}

TEST(FiguresTest, DurationsInTheUnitOfTheirSize) {
  EXPECT_EQ(duration(0.417), "0.42 s");
  EXPECT_EQ(duration(42), "42 s");
  EXPECT_EQ(duration(59.6), "1 min 00 s");
  EXPECT_EQ(duration(250), "4 min 10 s");
  EXPECT_EQ(duration(7380), "2 h 03 min");
}

TEST(FiguresTest, FixedPrintsNoNegativeZeroAndNamesNanAndInfinity) {
  EXPECT_EQ(fixed(-0.001, 2), "0.00");
  EXPECT_EQ(fixed(2.5, 1), "2.5");
  EXPECT_EQ(fixed(std::numeric_limits<double>::infinity(), 1), "inf");
}

}  // namespace
}  // namespace reports
