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

// Each device compiles, then all run at once and end in any order; the second run compiles nothing.
TEST(DecisionsTest, TheOrderInWhichDevicesEndMakesNoDifference) {
  constexpr const char* kOnDevices = R"(
fusion f(%x: f32[i0]) {
  %y = exp(%x)
  return %y
}
mesh {devices = [0, 1, 2, 3, 4]}
shard %x {dim = 0, type = DIDx}
shard %y {dim = 0, type = DIDx}
run { %x = normal(seed = 1) : f32[5] }
run { %x = normal(seed = 2) : f32[5] }
)";
  const DecisionSet first = decisionsOf(kOnDevices);
  EXPECT_EQ(first.count("cache: compiled"), 1u);
  EXPECT_EQ(first.count("cache: found"), 1u);
  const std::string withOneRun(kOnDevices, std::string_view(kOnDevices).rfind("run "));
  for (int i = 0; i < 30; ++i) ASSERT_EQ(decisionsOf(withOneRun).count("cache: found"), 0u) << i;
}

TEST(DecisionsTest, ANumberIsAClass) {
  EXPECT_EQ(classOfText("split %a.cache {axis = 0, factor = 128}"), "split % {axis = #, factor = 2^7}");
  EXPECT_EQ(classOfText("permute of f32[i0, (i1 + 2)]: axis 1"), "permute of f32[…]: axis #");
  EXPECT_EQ(classOfText("if ((threadIdx.x * 4) < n12) {"), "if ((threadIdx.x * 2^2) < n) {");
}

}  // namespace
}  // namespace fuser::fuzz
