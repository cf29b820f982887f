// compare(): where decided elements lie in their accepted sets.

#include "oracle/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace oracle {
namespace {

Value vectorOf(const std::vector<Interval>& sets) {
  Value value;
  value.dtype = fuser::DataType::Float;
  value.sizes = {static_cast<int64_t>(sets.size())};
  value.strides = {1};
  value.real = std::make_shared<const std::vector<Interval>>(sets);
  return value;
}

Margins marginsOf(const std::vector<double>& numbers, const std::vector<std::vector<Interval>>& views) {
  std::vector<Interval> points;
  for (double number : numbers) points.push_back(Interval::of(number));
  std::vector<Value> sets;
  for (const std::vector<Interval>& view : views) sets.push_back(vectorOf(view));
  std::vector<View> all;
  for (const Value& set : sets) all.push_back({&set, false});
  return compare(vectorOf(points), all, 5).margins;
}

constexpr Interval kDecides{100, 101, 0};

TEST(CompareTest, ASetDecidesBelowASixtyFourthOfItsSmallerEnd) {
  for (fuser::DataType dtype : {fuser::DataType::Float, fuser::DataType::Half}) {
    EXPECT_TRUE(isDecided({1, 1 + 0x1.fp-7, 0}, dtype));
    EXPECT_FALSE(isDecided({1, 1 + 0x1p-6, 0}, dtype));
    EXPECT_FALSE(isDecided({-1 - 0x1p-6, -1, 0}, dtype));
    EXPECT_FALSE(isDecided({-0x1p-6, 0x1p-6, kZeros}, dtype));
  }
}

TEST(CompareTest, SpecialNumbersStandForThemselvesAlone) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [set, number] : {std::pair{Interval::of(infinity), infinity},
                                    {Interval::of(-infinity), -infinity},
                                    {Interval::of(std::nan("")), std::nan("")}}) {
    for (double other : {infinity, -infinity, std::nan("")}) {
      const bool same = other == number || (std::isnan(other) && std::isnan(number));
      EXPECT_EQ(contains(set, other), same) << toString(set) << " and " << other;
    }
    EXPECT_FALSE(contains(set, 1)) << toString(set);
  }
}

TEST(CompareMarginsTest, AMiddleIsInTheFirstTenthAndAnEndInTheLast) {
  EXPECT_EQ(marginsOf({100.5, 100, 101}, {{kDecides, kDecides, kDecides}}), (Margins{{1, 0, 0, 0, 0, 0, 0, 0, 0, 2}}));
  EXPECT_EQ(marginsOf({100.28125}, {{kDecides}}), (Margins{{0, 0, 0, 0, 1, 0, 0, 0, 0, 0}}));
}

TEST(CompareMarginsTest, PointsUndecidedElementsAndThoseOutsideAreNotCounted) {
  const Interval wide{1, 2, 0}, orNan{100, 101, kNan};
  EXPECT_EQ(marginsOf({5, 1.5, 100.5, 102}, {{Interval::of(5), wide, orNan, kDecides}}), Margins{});
}

TEST(CompareMarginsTest, ARangeOfAFewNumbersIsNotCounted) {
  const Interval eight{1, 1 + 0x8p-23, 0}, seven{1, 1 + 0x7p-23, 0};
  EXPECT_EQ(marginsOf({1, 1}, {{eight, seven}}), (Margins{{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}));
}

TEST(CompareMarginsTest, OfTwoSetsThatDecideTheNearerEndCounts) {
  const Interval narrower{100, 100.625, 0};
  EXPECT_EQ(marginsOf({100.5}, {{kDecides}, {narrower}}), (Margins{{0, 0, 0, 0, 0, 0, 1, 0, 0, 0}}));
  const Interval outside{100, 100.25, 0};
  EXPECT_EQ(marginsOf({100.5}, {{kDecides}, {outside}}), Margins{});
}

std::string shown(double number, const Interval& set) {
  const Value sets = vectorOf({set});
  const View views[] = {{&sets, false}};
  const Comparison comparison = compare(vectorOf({Interval::of(number)}), views, 1);
  return comparison.worst.empty() ? "inside" : comparison.worst[0].got + ", accepted " + comparison.worst[0].accepts;
}

TEST(CompareTextTest, HasTheFewestDigitsThatTellNumbersApart) {
  EXPECT_EQ(shown(1.0 / 3, {0.5, 2.0 / 3, 0}), "0.333333, accepted [0.5, 0.666667]");
  EXPECT_EQ(shown(16777217, Interval::of(16777216)), "16777217, accepted 16777216");
  EXPECT_EQ(shown(1 + 0x1p-23, {1 - 0x1p-24, 1, 0}), "1.0000001, accepted [0.99999994, 1]");
  EXPECT_EQ(shown(1 + 0x1p-52, {0.5, 1, 0}), "1.0000000000000002, accepted [0.5, 1]");
  EXPECT_EQ(shown(0.1, {kInfinity, -kInfinity, kNan}), "0.1, accepted nan");
  EXPECT_EQ(shown(-0.0, Interval::of(0)), "-0, accepted +0");
}

}  // namespace
}  // namespace oracle
