// Titles: short sentences, computed from what the judge knows.

#include "fuzz/judge/title.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "fuzz/judge/bucket.h"

namespace fuser::fuzz {
namespace {

std::string titleOfText(const std::string& text) { return titleOf(judgeCase(parseCase(text, "test"))); }

std::string titleOfReason(VerdictKind kind, const std::string& reason) {
  CaseVerdict verdict;
  verdict.kind = kind;
  verdict.reason = reason;
  return titleOf(verdict);
}

TEST(TitleTest, AReductionIsWrongInRows) {
  EXPECT_EQ(titleOfText(R"(
fusion f(%x: f32[i0, i1]) {
  %s = sum(%x) {dims = [0]}
  return %s
}
option fault = "wrong-identity-sum"
run { %x = uniform(seed = 1, low = 1, high = 2) : f32[4, 7] }
)"),
            "sum over dim 0 is wrong in 7 of 7 rows");
}

TEST(TitleTest, APointwiseOpIsWrongInElements) {
  EXPECT_EQ(titleOfText(R"(
fusion f(%x: f32[i0], %y: f32[i0]) {
  %z = sub(%x, %y)
  return %z
}
option fault = "swapped-operands"
run { %x = values [1, 2, 3, 9] : f32[4]
      %y = values [1, 4, 8, 2] : f32[4] }
)"),
            "sub is off by a constant factor in 3 of 4 elements");
}

TEST(TitleTest, ThePatternGivesTheVerb) {
  const Case testCase =
      parseCase("fusion f(%x: f32[i0, i1, i2]) {\n  %s = amax(%x) {dims = [0, 2]}\n  return %s\n}\n", "test");
  oracle::WrongValue wrong;
  wrong.value = "s";
  wrong.judged = 7;
  wrong.outside = 1;
  const Expr* definition = testCase.fusion->exprs().at(0);
  EXPECT_EQ(titleOfWrong(definition, wrong, "zeros"),
            "amax over dims 0 and 2 is 0 instead of another number in 1 of 7 rows");
  EXPECT_EQ(titleOfWrong(definition, wrong, "tail"), "amax over dims 0 and 2 is wrong in the last 1 of 7 rows");
  EXPECT_EQ(titleOfWrong(nullptr, wrong, "nan"), "%s has or lacks NaN in 1 of 7 elements");
}

TEST(TitleTest, ErrorsSayWhatStoppedTheRun) {
  EXPECT_EQ(titleOfReason(VerdictKind::Violation, "kernel k0_pointwise: out of bounds: element 3 of T1; block 0"),
            "kernel k0_pointwise is stopped: out of bounds: element 3 of T1");
  EXPECT_EQ(titleOfReason(VerdictKind::Violation, "%y is read, and nothing has written it"),
            "the run is stopped: %y is read, and nothing has written it");
  EXPECT_EQ(titleOfReason(VerdictKind::Check, "fuser/lower/x.cpp:53: check failed: a == b: sizes"),
            "a check fails in fuser/lower/x.cpp: a == b: sizes");
  EXPECT_EQ(titleOfReason(VerdictKind::Crash, "signal Segmentation fault\n  fuser::lower"),
            "the process crashes: signal Segmentation fault");
}

TEST(TitleTest, LongReasonsAreCutBetweenWords) {
  std::string reason;
  for (int i = 0; i < 100; ++i) reason += "wörter ";
  const std::string title = titleOfReason(VerdictKind::Invariant, reason);
  EXPECT_LE(title.size(), 120u);
  EXPECT_EQ(title.substr(title.size() - std::string("wörter …").size()), "wörter …");
  std::string word;
  for (int i = 0; i < 100; ++i) word += "ö";
  EXPECT_EQ(titleOfReason(VerdictKind::Invariant, word).find("\xC3 "), std::string::npos);  // no half of a character
}

TEST(SplitTest, WrongElementsAndViolationsAreSplitOthersAreNot) {
  const Bucket differs{"differs", "kernel", "reduction", "zeros"};
  EXPECT_EQ(nameOfMinimized(differs, "Sum", "Neg Sum"), "differs | kernel | reduction | zeros | Sum | Neg Sum");
  EXPECT_NE(nameOfMinimized(differs, "Sum", "Sum"), nameOfMinimized(differs, "Sum", "Neg Sum"));
  EXPECT_EQ(nameOfMinimized({"violation", "kernel", "pointwise", "out of bounds"}, "", "Slice"),
            "violation | kernel | pointwise | out of bounds | - | Slice");
  const Bucket check{"check", "kernel", "", "fuser/lower/x.cpp: a == b"};
  EXPECT_EQ(nameOfMinimized(check, "", "Slice"), "check | fuser/lower/x.cpp: a == b");
  EXPECT_EQ(nameOfMinimized({"check", "pass DeadCodePass", "", check.pattern}, "", "Neg"),
            nameOfMinimized(check, "", "Slice"));
}

}  // namespace
}  // namespace fuser::fuzz
