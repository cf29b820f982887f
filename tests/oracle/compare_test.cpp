// compare(): where decided elements lie in their accepted sets.

#include "oracle/compare.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace oracle
