// Sets that hold an infinity beside finite numbers: the finite part keeps its image, and each infinity adds its own.

#include <gtest/gtest.h>

#include <cmath>

#include "oracle/interval.h"
#include "oracle/real_rules.h"

namespace oracle_test {
namespace {

using fuser::DataType;
using fuser::OpKind;
using oracle::Interval;
using oracle::kNan;
using oracle::kNegInf;
using oracle::kPosInf;

// [lo, hi], and what the flags add.
Interval withFlags(double lo, double hi, uint8_t flags) { return {lo, hi, flags}; }

Interval floorDivOf(const Interval& a, const Interval& b) {
  return oracle::divisionRule(OpKind::FloorDiv, a, b, DataType::Double);
}
Interval fmodOf(const Interval& a, const Interval& b) {
  return oracle::divisionRule(OpKind::Fmod, a, b, DataType::Double);
}
Interval remainderOf(const Interval& a, const Interval& b) {
  return oracle::divisionRule(OpKind::Remainder, a, b, DataType::Double);
}
Interval powerOf(const Interval& a, const Interval& b) {
  return oracle::binaryFunction(OpKind::Pow, a, b, DataType::Double);
}
Interval angleOf(const Interval& a, const Interval& b) {
  return oracle::binaryFunction(OpKind::Atan2, a, b, DataType::Double);
}

void expectNear(const Interval& set, double lo, double hi, uint8_t specials, const char* what) {
  EXPECT_EQ(set.hasRange(), lo <= hi) << what;
  EXPECT_EQ(set.flags & oracle::kSpecials, specials) << what << " gives " << oracle::toString(set);
  if (!set.hasRange()) return;
  EXPECT_NEAR(set.lo, lo, 1e-12) << what;
  EXPECT_NEAR(set.hi, hi, 1e-12) << what;
}

TEST(InfinitiesTest, LeaveTheFinitePartOfAPower) {
  expectNear(powerOf(withFlags(2, 3, kPosInf), Interval::of(2)), 4, 9, kPosInf, "[2, 3] or inf, squared");
  expectNear(powerOf(withFlags(2, 3, kNegInf), Interval::of(3)), 8, 27, kNegInf, "[2, 3] or -inf, to the third");
  expectNear(powerOf(Interval::of(2), withFlags(1, 2, kNegInf)), 0, 4, 0, "2 to [1, 2] or -inf");
  expectNear(powerOf(withFlags(2, 3, kNan), Interval::of(0)), 1, 1, 0, "NaN to the power of 0");
  expectNear(powerOf(withFlags(0.5, 2, 0), Interval::of(INFINITY)), 0, 1, kPosInf, "[0.5, 2] to inf");
}

TEST(InfinitiesTest, LeaveTheFinitePartOfAnAngle) {
  const double quarter = std::atan(1.0);
  expectNear(angleOf(withFlags(1, 1, kPosInf), Interval::of(1)), quarter, 2 * quarter, 0, "1 or inf over 1");
  expectNear(angleOf(Interval::of(1), withFlags(1, 1, kPosInf)), 0, quarter, 0, "1 over 1 or inf");
  expectNear(angleOf(withFlags(1, 1, kNan), Interval::of(1)), quarter, quarter, kNan, "1 or NaN over 1");
}

TEST(InfinitiesTest, LeaveTheFinitePartOfARest) {
  expectNear(fmodOf(withFlags(5, 5.5, kPosInf), Interval::of(4)), 1, 1.5, kNan, "[5, 5.5] or inf by 4");
  expectNear(fmodOf(withFlags(5, 5.5, 0), withFlags(4, 4, kPosInf)), 1, 5.5, 0, "[5, 5.5] by 4 or inf");
  expectNear(fmodOf(withFlags(5, 5.5, 0), withFlags(0, 4, oracle::kZeros)), 0, 4, kNan, "[5, 5.5] by [0, 4]");
  expectNear(remainderOf(withFlags(5, 5.5, 0), Interval::of(-INFINITY)), INFINITY, -INFINITY, kNegInf, "by -inf");
  expectNear(remainderOf(withFlags(-5.5, -5, kNan), withFlags(4, 4, kNegInf)), -5.5, 3, kNan,
             "[-5.5, -5] by 4 or -inf");
}

TEST(InfinitiesTest, LeaveTheFinitePartOfAFlooredQuotient) {
  expectNear(floorDivOf(withFlags(5, 5.5, kPosInf), Interval::of(4)), 1, 1, kNan, "[5, 5.5] or inf by 4");
  expectNear(floorDivOf(withFlags(-5, 5, oracle::kZeros), Interval::of(INFINITY)), -1, 0, 0, "[-5, 5] by inf");
  expectNear(floorDivOf(withFlags(8, 9, 0), withFlags(4, 4, kPosInf)), 0, 2, 0, "[8, 9] by 4 or inf");
}

}  // namespace
}  // namespace oracle_test
