// What a case's decisions are, and that names and sizes make no difference.

#include "fuzz/judge/decisions.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "tests/golden/golden_tests.h"

namespace fuser::fuzz {
namespace {

DecisionSet decisionsOf(const std::string& text) {
  DecisionSet decisions;
  DecisionCollector collector(decisions);
  JudgeSettings settings;
  settings.secondLooks = HowOften::Never;
  settings.repeat = false;
  settings.observers.push_back(&collector);
  addDecisionsOf(judgeCase(parseCase(text, "case"), settings), decisions);
  return decisions;
}

golden::Texts decisionsOfCases("tests/fuzz/judge/decisions.txt", {}, [](const golden::Case& each) {
  std::string text;
  for (const std::string& decision : decisionsOf(each.input)) text += decision + "\n";
  return golden::Made(text);
});

TEST(DecisionsTest, NamesAndSizesMakeNoDifference) {
  const auto sumOf = [](const std::string& name, int rows, int columns) {
    return concat("fusion f(%", name, ": f32[i0, i1]) {\n  %s = sum(%", name, ") {dims = [1]}\n  return %s\n}\nrun { %",
                  name, " = normal(seed = 1) : f32[", rows, ", ", columns, "] }\n");
  };
  EXPECT_EQ(decisionsOf(sumOf("x", 60, 97)), decisionsOf(sumOf("other", 70, 99)));
  EXPECT_NE(decisionsOf(sumOf("x", 60, 97)), decisionsOf(sumOf("x", 60, 100000)));
}

TEST(DecisionsTest, ANumberIsAClass) {
  EXPECT_EQ(classOfText("split %a.cache {axis = 0, factor = 128}"), "split % {axis = #, factor = 2^7}");
  EXPECT_EQ(classOfText("permute of f32[i0, (i1 + 2)]: axis 1"), "permute of f32[…]: axis #");
  EXPECT_EQ(classOfText("if ((threadIdx.x * 4) < n12) {"), "if ((threadIdx.x * 2^2) < n) {");
}

}  // namespace
}  // namespace fuser::fuzz
