// Which sizes of a case may change, which together, and runs with other ones.

#include "fuzz/edges/free_sizes.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"

namespace fuser::fuzz {
namespace {

constexpr int64_t kMuch = 1 << 20;

std::string groupsOf(const FreeSizes& sizes) {
  std::string text;
  for (const std::vector<size_t>& group : sizes.groups()) {
    for (size_t number : group) text += sizes.nameOf(number) + (number == group.back() ? "; " : " ");
  }
  return text;
}

// The text of the run with one size replaced; "" if there is no such run.
std::string withSize(const Case& testCase, const std::vector<size_t>& numbers, int64_t size, int64_t most = kMuch) {
  const FreeSizes sizes(testCase);
  FreeSizes::Values values = sizes.valuesIn(testCase.runs[0]);
  for (size_t number : numbers) values.at(number) = size;
  Case changed = cloneCase(testCase);
  std::optional<Run> run = sizes.resized(testCase.runs[0], values, most);
  if (!run) return "";
  changed.runs = {*run};
  std::string text = printCase(changed);
  text.erase(0, text.find("run {") + 6);
  text.erase(text.find("\n}"));
  std::erase(text, '\n');
  return text;
}

TEST(FreeSizesTest, ASymbolThatInputsShareChangesInAllOfThem) {
  const Case testCase = parseCase(R"(
fusion f(%a: f32[i0, 4], %b: f32[(i0 + 1)], %c: f32[i0]) {
  %x = neg(%a)
  %y = neg(%b)
  %z = neg(%c)
  return %x, %y, %z
}
run { %a = normal(seed = 1) : f32[5, 4]  %b = normal(seed = 2) : f32[6]  %c = normal(seed = 3) : f32[5] }
)",
                                  "test");
  EXPECT_EQ(groupsOf(FreeSizes(testCase)), "i0; ");
  EXPECT_EQ(withSize(testCase, {0}, 32),
            "  %a = normal(seed = 1) : f32[32, 4]  %b = normal(seed = 2) : f32[33]  "
            "%c = normal(seed = 3) : f32[32]");
}

TEST(FreeSizesTest, SymbolsThatMeetInAnOpChangeTogether) {
  const Case testCase = parseCase(R"(
fusion f(%a: f32[i0, i1], %b: f32[i2, i3]) {
  %y = add(%a, %b)
  return %y
}
run { %a = normal(seed = 1) : f32[5, 7]  %b = normal(seed = 2) : f32[5, 7] }
)",
                                  "test");
  EXPECT_EQ(groupsOf(FreeSizes(testCase)), "i0; i1; i2; i3; i0 i2; i1 i3; ");
  EXPECT_EQ(withSize(testCase, {0}, 8), "");
  EXPECT_EQ(withSize(testCase, {0, 2}, 8), "  %a = normal(seed = 1) : f32[8, 7]  %b = normal(seed = 2) : f32[8, 7]");
}

TEST(FreeSizesTest, SizesThatTheProgramReadsStay) {
  const Case testCase = parseCase(R"(
fusion f(%a: f32[i0, i1], %n: i64, %m: i64) {
  %s = size(%a) {dim = 0}
  %y = full() {shape = [%n, %m], fill_value = 1.0, dtype = f32}
  %k = add(%s, %m)
  return %y, %k, %a
}
run { %a = normal(seed = 1) : f32[5, 7]  %n = 3  %m = 4 }
)",
                                  "test");
  EXPECT_EQ(groupsOf(FreeSizes(testCase)), "i1; n; ");
  EXPECT_EQ(withSize(testCase, {2}, 9), "  %a = normal(seed = 1) : f32[5, 7]  %n = 9  %m = 4");
}

TEST(FreeSizesTest, StridesKeepTheirGaps) {
  const Case testCase = parseCase(R"(
fusion f(%a: f32[i0, i1] {contiguity = [false, false]}) {
  %y = neg(%a)
  return %y
}
run { %a = normal(seed = 1) : f32[5, 7] {strides = [17, 2]} }
)",
                                  "test");
  EXPECT_EQ(withSize(testCase, {1}, 8), "  %a = normal(seed = 1) : f32[5, 8] {strides = [19, 2]}");
}

TEST(FreeSizesTest, BudgetAndDataBoundThem) {
  const Case testCase = parseCase(R"(
fusion f(%a: f32[i0]) {
  %y = neg(%a)
  return %y
}
run { %a = values [1.0, 2.0] : f32[2] }
)",
                                  "test");
  EXPECT_EQ(withSize(testCase, {0}, 3), "");
  const Case other = parseCase(R"(
fusion f(%a: f32[i0]) {
  %y = neg(%a)
  return %y
}
run { %a = normal(seed = 1) : f32[2] }
)",
                               "test");
  EXPECT_NE(withSize(other, {0}, 50, 100), "");
  EXPECT_EQ(withSize(other, {0}, 51, 100), "");
}

// Its other sizes are limited, too, although it has no elements.
TEST(FreeSizesTest, AnEmptyTensorStaysWithinWhatARunMayHave) {
  const Case testCase = parseCase(R"(
fusion f(%a: f32[i0, 0, i0, i0]) {
  %y = neg(%a)
  return %y
}
run { %a = normal(seed = 1) : f32[2, 0, 2, 2] }
)",
                                  "test");
  EXPECT_NE(withSize(testCase, {0}, 1290), "");
  EXPECT_EQ(withSize(testCase, {0}, 1291), "");  // 1291 ^ 3 is above 2 ^ 31
}

// Sizes are checked in the form without updates, which is what runs.
TEST(FreeSizesTest, AnUpdateOnASideKeepsTheSizesThatItsMemoryNeeds) {
  const Case testCase = parseCase(R"(
fusion f(%x: f32[i0], %u: f32[i1], %c: bool) {
  %t = slice_scatter(%x, %u) {dim = 0, start = (i0 // 2), end = i0}
  %v = select(%t) {dim = 0, index = 1}
  if %c {
    %w = neg(%v)
    update %v = %w
  }
  %y = neg(%x)
  return %y
}
run { %x = normal(seed = 1) : f32[6]  %u = normal(seed = 2) : f32[3]  %c = false }
)",
                                  "test");
  EXPECT_EQ(withSize(testCase, {0}, 7), "");
  EXPECT_EQ(withSize(testCase, {0}, 5), "  %x = normal(seed = 1) : f32[5]  %u = normal(seed = 2) : f32[3]  %c = false");
}

TEST(FreeSizesTest, NoRunExpandsWhatAnUpdateWritesThrough) {
  const Case testCase = parseCase(R"(
fusion f(%x: f32[i0]) {
  %e = expand(%x) {shape = [3]}
  %s = slice(%e) {dim = 0, start = 2, end = 3}
  update %s = 1.0
  return %x
}
run { %x = normal(seed = 1) : f32[3] }
)",
                                  "test");
  EXPECT_EQ(withSize(testCase, {0}, 1), "");
}

}  // namespace
}  // namespace fuser::fuzz
