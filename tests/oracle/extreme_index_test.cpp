// extremeIndex(): which terms may be the most extreme one, and what compare() accepts of such a set.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fuser/text/parser.h"
#include "oracle/compare.h"
#include "oracle/profile.h"
#include "oracle/slice.h"

namespace oracle {
namespace {

using Indices = std::vector<int64_t>;

Value rowOf(Value value, size_t terms) {
  value.sizes = {static_cast<int64_t>(terms)};
  value.strides = {1};
  return value;
}

Value ofNumbers(const std::vector<Interval>& sets) {
  Value value;
  value.dtype = fuser::DataType::Float;
  value.real = std::make_shared<const std::vector<Interval>>(sets);
  return rowOf(std::move(value), sets.size());
}

Value ofIntegers(const std::vector<Whole>& sets) {
  Value value;
  value.dtype = fuser::DataType::Int64;
  value.whole = std::make_shared<const std::vector<Whole>>(sets);
  return rowOf(std::move(value), sets.size());
}

Value indexOf(const Value& row, const char* op, const Profile* profile = nullptr) {
  const auto fusion =
      fuser::parseFusion(fuser::concat("fusion f(%x: ", row.dtype, "[i0]) {\n  %y = ", op, "(%x)\n  return %y\n}\n"));
  Arithmetic arithmetic;
  arithmetic.profile = profile;
  return extremeIndex(*fusion->outputs()[0]->definition(), row, arithmetic);
}

Indices candidates(const Value& index) {
  const Indices& members = index.candidates->at(0);
  return members.empty() ? Indices{index.wholeAt(0).lo} : members;
}

constexpr double kNanNumber = std::numeric_limits<double>::quiet_NaN();

TEST(ExtremeIndexRuleTest, ATermThatAnotherIsCertainlyBeyondIsNoCandidate) {
  const Value row = ofNumbers({{1, 3, 0}, {0, 0.5, 0}, {2, 4, 0}, {2.5, 2.5, 0}});
  EXPECT_EQ(candidates(indexOf(row, "argmax")), (Indices{0, 2, 3}));
  EXPECT_EQ(candidates(indexOf(row, "argmin")), (Indices{1}));
}

TEST(ExtremeIndexRuleTest, OfEqualTermsTheFirstOneAlone) {
  const Value row = ofNumbers({Interval::of(0.0), Interval::of(-0.0), Interval::of(0.0)});
  EXPECT_EQ(candidates(indexOf(row, "argmax")), (Indices{0}));
  EXPECT_EQ(candidates(indexOf(row, "argmin")), (Indices{0}));
  // The second one may be more than the first, the third one at most as much.
  const Value open = ofNumbers({{1, 2, 0}, {1, 2, 0}, {0, 1, 0}});
  EXPECT_EQ(candidates(indexOf(open, "argmax")), (Indices{0, 1}));
}

TEST(ExtremeIndexRuleTest, NansAreBeyondNumbersUpToTheFirstCertainOne) {
  const Value row = ofNumbers({{9, 9, 0}, {1, 2, kNan}, Interval::of(kNanNumber), {0, 1, kNan}});
  EXPECT_EQ(candidates(indexOf(row, "argmax")), (Indices{1, 2}));
  const Value open = ofNumbers({{9, 9, 0}, {1, 2, kNan}, {0, 1, kNan}});
  EXPECT_EQ(candidates(indexOf(open, "argmax")), (Indices{0, 1, 2}));
  Profile profile;
  profile.numberBesideNan = true;
  EXPECT_EQ(candidates(indexOf(row, "argmax", &profile)), (Indices{0, 1, 2, 3}));
}

TEST(ExtremeIndexRuleTest, InfinitiesAreNumbers) {
  const double inf = kInfinity;
  EXPECT_EQ(candidates(indexOf(ofNumbers({Interval::of(-inf), Interval::of(-inf)}), "argmax")), (Indices{0}));
  EXPECT_EQ(candidates(indexOf(ofNumbers({{1, 2, 0}, Interval::of(inf)}), "argmax")), (Indices{1}));
}

TEST(ExtremeIndexRuleTest, IntegersAreComparedAsIntegers) {
  constexpr int64_t kLarge = int64_t{1} << 53, kLeast = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(candidates(indexOf(ofIntegers({{kLarge, kLarge}, {kLarge + 1, kLarge + 1}}), "argmax")), (Indices{1}));
  EXPECT_EQ(candidates(indexOf(ofIntegers({{0, 0}, {kLeast, kLeast}}), "argmin")), (Indices{1}));
  EXPECT_EQ(candidates(indexOf(ofIntegers({{0, 5}, {1, 1}, {3, 9}}), "argmax")), (Indices{0, 2}));
}

// Index 1 lies between the candidates 0 and 2.
TEST(ExtremeIndexRuleTest, AnIndexBetweenCandidatesIsOutside) {
  const Value accepted = indexOf(ofNumbers({{1, 3, 0}, {0, 0.5, 0}, {2, 4, 0}}), "argmax");
  ASSERT_EQ(candidates(accepted), (Indices{0, 2}));
  const View view{&accepted, false};
  for (int64_t index = 0; index < 4; ++index) {
    Value given = accepted;
    given.candidates = nullptr;
    given.whole = std::make_shared<const std::vector<Whole>>(1, Whole{index, index});
    EXPECT_EQ(compare(given, {&view, 1}, 5).worst.size(), index == 0 || index == 2 ? 0u : 1u) << index;
  }
}

}  // namespace
}  // namespace oracle
