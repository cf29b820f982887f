// What the option io_to_lower_precision may add to a fusion.
#include "fuzz/judge/lowered_fusion.h"

#include <gtest/gtest.h>

#include "fuser/runtime/lower_boundaries.h"
#include "fuser/text/parser.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

const char kCase[] =
    "fusion f(%x: f32[i0, i1]) {\n  %s = sum(%x) {dims = [0]}\n  %m = amax(%s) {dims = [0]}\n  %d = sub(%m, 200.0)\n"
    "  %y = cast(%d) {dtype = bf16}\n  return %y\n}\noption enable io_to_lower_precision\n"
    "run { %x = values [256, 1, 1, 0] : f32[2, 2] }\n";

TEST(LoweredFusionTest, RoundingsBetweenSegmentsAreAllThatIsAdded) {
  const Case testCase = parseCase(kCase, "test");
  const Case lowered = loweredCase(testCase);
  EXPECT_EQ(lowered.fusion->allVals().size(), testCase.fusion->allVals().size() + 3);
  EXPECT_EQ(whyNotLowered(*testCase.fusion, *lowered.fusion), "");
}

TEST(LoweredFusionTest, NothingElseMayChange) {
  const auto why = [](const std::string& body) {
    const std::string head = "fusion f(%x: f32[i0]) {\n  %a = neg(%x)\n", tail = "  return %y\n}\n";
    const std::unique_ptr<Fusion> original = parseFusion(head + "  %y = exp(%a)\n" + tail);
    return whyNotLowered(*original, *parseFusion(head + body + tail));
  };
  EXPECT_EQ(why("  %y = exp(%a)\n"), "");
  EXPECT_NE(why("  %y = exp(%x)\n"), "") << "another operand";
  EXPECT_NE(why("  %l = cast(%a) {dtype = f16}\n  %w = cast(%l) {dtype = f32}\n  %y = exp(%w)\n"), "") << "no cut";
}

// The oracle's set of the case's own fusion is 57; what is judged has 56.
TEST(LoweredFusionTest, TheFusionThatRoundsIsJudged) {
  const CaseVerdict verdict = judgeCase(parseCase(kCase, "test"));
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
}

}  // namespace
}  // namespace fuser::fuzz
