// Which indices are proved to be in range.

#include "fuser/analysis/index_range.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"

namespace fuser {
namespace {

// Of `%i`, made by these lines, as an index along an axis of %x.
bool isProvedAlong(size_t axis, const std::string& lines) {
  const Case testCase =
      parseCase("fusion f(%x: f32[i0, 4], %d: i64[i1], %b: bool[i1]) {\n" + lines + "\n  return %i\n}\n", "test");
  const auto* indices = testCase.fusion->outputs().at(0)->as<TensorView>();
  const auto* tensor = testCase.fusion->inputs().at(0)->as<TensorView>();
  return isIndexInside(indices, tensor->axes().at(axis)->size());
}
bool isProved(const std::string& lines) { return isProvedAlong(0, lines); }
bool isProvedOfFour(const std::string& lines) { return isProvedAlong(1, lines); }

TEST(IndexRangeTest, CountsAreProvedAsFarAsTheirAxis) {
  EXPECT_TRUE(isProved("%i = arange() {end = i0, dtype = i64}"));
  EXPECT_TRUE(isProved("%i = arange() {start = (i0 - 1), end = -1, step = -1, dtype = i64}"));
  EXPECT_TRUE(
      isProved("%a = arange() {end = i0, dtype = i64} %v = flip(%a) {dims = [0]} %i = slice(%v) {dim = 0, start = 1}"));
  EXPECT_FALSE(isProved("%i = arange() {end = (i0 + 1), dtype = i64}"));
  EXPECT_FALSE(isProved("%i = arange() {start = -1, end = i0, dtype = i64}"));
  EXPECT_FALSE(isProved("%i = arange() {end = i1, dtype = i64}"));
}

TEST(IndexRangeTest, RemaindersAndClampsAreProvedByTheirBounds) {
  EXPECT_TRUE(isProvedOfFour("%i = remainder(%d, 4)"));
  EXPECT_FALSE(isProvedOfFour("%i = remainder(%d, 5)"));
  EXPECT_FALSE(isProvedOfFour("%i = remainder(%d, -4)"));
  EXPECT_FALSE(isProvedOfFour("%i = fmod(%d, 4)"));  // has the sign of what is divided
  EXPECT_TRUE(isProvedOfFour("%i = clamp(%d) {min = 0, max = 3}"));
  EXPECT_FALSE(isProvedOfFour("%i = clamp(%d) {min = 0, max = 4}"));
  EXPECT_TRUE(isProvedOfFour("%a = clamp_min(%d) {min = 1} %i = clamp_max(%a) {max = 3}"));
  EXPECT_FALSE(isProvedOfFour("%i = clamp_max(%d) {max = 3}"));
  // Above its own upper bound, a clamp gives that: it is below 0 here.
  EXPECT_FALSE(isProvedOfFour("%i = clamp(%d) {min = -7, max = -1}"));
  EXPECT_FALSE(isProved("%n0 = size(%x) {dim = 0} %i = remainder(%d, %n0)"));  // of size 0
}

TEST(IndexRangeTest, TruthsAndChoicesAreProvedByWhatTheyChoose) {
  EXPECT_TRUE(isProvedOfFour("%i = cast(%b) {dtype = i64}"));
  EXPECT_TRUE(isProvedOfFour("%a = remainder(%d, 3) %i = where(%b, %a, 2)"));
  EXPECT_FALSE(isProvedOfFour("%a = remainder(%d, 3) %i = where(%b, %a, -1)"));
  EXPECT_TRUE(isProvedOfFour(
      "%a = remainder(%d, 3) %c = full() {shape = [2], fill_value = 3, dtype = i64} %i = cat(%a, %c) {dim = 0}"));
  EXPECT_FALSE(isProvedOfFour("%a = remainder(%d, 3) %i = cat(%a, %d) {dim = 0}"));
  EXPECT_FALSE(isProvedOfFour("%a = remainder(%d, 3) %i = pad(%a) {pad = [1, 1], value = 7}"));
}

TEST(IndexRangeTest, DataAndWhatLeavesItsDtypeAreNotProved) {
  EXPECT_FALSE(isProvedOfFour("%i = set(%d)"));
  EXPECT_FALSE(isProvedOfFour("%i = mul(%d, 0)"));
  EXPECT_TRUE(isProvedOfFour("%a = remainder(%d, 4) %i = cast(%a) {dtype = i32}"));
  EXPECT_FALSE(isProvedOfFour(
      "%a = clamp(%d) {min = 0, max = 8589934592} %c = cast(%a) {dtype = i32} %i = clamp_max(%c) {max = 3}"));
}

// %j of i32 holds another number than the literal.
TEST(IndexRangeTest, LiteralsCountAsTheDtypeHoldsThem) {
  const auto ofI32 = [](const std::string& line) { return isProvedOfFour("%j = cast(%d) {dtype = i32} " + line); };
  EXPECT_TRUE(ofI32("%a = remainder(%j, 4) %i = minimum(%a, 3)"));
  EXPECT_FALSE(ofI32("%a = remainder(%j, 4) %i = minimum(%a, 2147483648)"));
  EXPECT_FALSE(ofI32("%a = remainder(%j, 3000000000) %i = minimum(%a, 3)"));
  EXPECT_FALSE(ofI32("%a = clamp_min(%j) {min = 3000000000} %i = minimum(%a, 3)"));
  EXPECT_FALSE(ofI32("%r = remainder(%j, 4) %a = where(%b, %r, 3000000000) %i = minimum(%a, 3)"));
  EXPECT_FALSE(isProvedOfFour("%a = arange() {start = 2147483650, end = 2147483654, dtype = i32} %i = minimum(%a, 3)"));
  EXPECT_FALSE(
      isProvedOfFour("%a = full() {shape = [4], fill_value = 5, dtype = bool} %c = cast(%a) {dtype = i64} "
                     "%i = sub(%c, 5)"));
}

// Until the run is refused, an element at a bad index is 0.
TEST(IndexRangeTest, AnElementAtAnIndexMayBeZero) {
  EXPECT_TRUE(isProvedOfFour("%t = arange() {end = 4, dtype = i64} %i = gather(%t, %d) {dim = 0}"));
  EXPECT_FALSE(
      isProvedOfFour("%t = arange() {start = 3, end = 7, dtype = i64} %j = gather(%t, %d) {dim = 0} "
                     "%i = sub(%j, 3)"));
}

}  // namespace
}  // namespace fuser
