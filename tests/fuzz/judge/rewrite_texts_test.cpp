#include "fuzz/judge/rewrite_texts.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "reports/line_diff.h"

namespace fuser::fuzz {
namespace {

// Each rewrite of the pass takes one dead line away.
TEST(RewriteTextsTest, AreThoseWithoutAndWithThisRewrite) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[i0]) {\n  %a = exp(%x)\n  %d = log(%a)\n  %e = log(%a)\n  %y = neg(%a)\n  return %y\n}\n"
      "run { %x = normal(seed = 1) : f32[8] }\n",
      "test");
  const auto removedBy = [&](int64_t number) {
    const RewriteTexts texts = textsOf({"DeadCodePass", number}, testCase);
    return reports::changedLines(texts.before, texts.after);
  };
  const std::string first = removedBy(1), second = removedBy(2);
  EXPECT_EQ(first.starts_with("-   %d = ") ? second : first, "-   %e = log(%a) : f32[i0]\n");
  EXPECT_EQ(first.starts_with("-   %d = ") ? first : second, "-   %d = log(%a) : f32[i0]\n");
  EXPECT_EQ(removedBy(3), "");
}

TEST(WorstPlacesTest, AWrongVerdictNamesElementsOfTheFirstWrongValue) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[i0]) {\n  %y = exp(%x)\n  return %y\n}\noption fault = \"expm1-for-exp\"\n"
      "run { %x = normal(seed = 1) : f32[8] }\n",
      "test");
  const CaseVerdict verdict = judgeCase(testCase);
  ASSERT_EQ(verdict.kind, VerdictKind::Differs) << toString(verdict);
  ASSERT_FALSE(verdict.worst.empty());
  EXPECT_EQ(verdict.worst[0].value, "y");
  EXPECT_EQ(verdict.worst[0].index.size(), 1u);
  EXPECT_NE(verdict.worst[0].given, "");
  EXPECT_NE(verdict.worst[0].accepts, "");
}

}  // namespace
}  // namespace fuser::fuzz
