// A long row is copied to bf16.

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

TEST(FindingTest, ALongRowIsCopiedToBf16) {
  const Case testCase = parseCase(R"fusion_(
# A comment with )fusion" stays what it is.
fusion f(%x: f32[i0]) {
  %y = cast(%x) {dtype = bf16}
  return %y
}
run { %x = normal(seed = 1) : f32[40] }
)fusion_",
                                  "finding");
  JudgeSettings settings;
  settings.secondLooks = HowOften::Always;
  settings.allInvariants = true;
  const CaseVerdict verdict = judgeCase(testCase, settings);
  EXPECT_FALSE(isFinding(verdict.kind)) << toString(verdict);
  EXPECT_TRUE(verdict.expected);
}

}  // namespace
}  // namespace fuser::fuzz
