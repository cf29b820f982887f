// Views change how a case is compiled, and not what it computes.

#include "fuzz/views/views.h"

#include <gtest/gtest.h>

#include <set>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

const View& named(std::string_view name) {
  for (const View& view : allViews()) {
    if (view.name == name) return view;
  }
  throw std::out_of_range("no such view");
}

constexpr const char* kChain = R"(
fusion f(%x: f32[i0]) {
  %y = exp(%x)
  %z = add(%y, %y)
  %w = neg(%z)
  return %w, %z
}
run { %x = normal(seed = 1) : f32[40] }
)";

TEST(ViewsTest, EachViewOfGeneratedCasesIsValidAndNotWrong) {
  for (const View& view : allViews()) {
    int seen = 0;
    GeneratorOptions small;
    small.medianElements = 64;
    for (uint64_t number = 0; number < 2000 && seen < 8; ++number) {
      const Case testCase = generateCase(7, number, small);
      const std::optional<Case> other = viewOf(view, testCase, number);
      if (!other) continue;
      ++seen;
      EXPECT_NE(printCase(*other), printCase(testCase)) << view.name;
      const CaseVerdict verdict = judgeCase(*other);
      EXPECT_FALSE(isFinding(verdict.kind)) << view.name << ", case " << number << "\n" << toString(verdict);
      EXPECT_NE(verdict.kind, VerdictKind::Rejected) << view.name << ", case " << number << "\n" << toString(verdict);
    }
    EXPECT_GT(seen, 4) << view.name;
  }
}

TEST(ViewsTest, CutsSeparateReadersAndKeepTheOutputs) {
  const std::string text = printCase(*viewOf(named("cut at every op"), parseCase(kChain, "test"), 0));
  EXPECT_NE(text.find("segment_set(%y)"), std::string::npos) << text;
  EXPECT_NE(text.find("segment_set(%z)"), std::string::npos) << text;
  EXPECT_EQ(text.find("neg(%z)"), std::string::npos) << text;
  EXPECT_NE(text.find("return %w, %z"), std::string::npos) << text;
  const CaseVerdict verdict = judgeCase(parseCase(text, "test"));
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  EXPECT_EQ(verdict.schedulers.at("PointWise"), 3);
}

TEST(ViewsTest, AViewIsKeptInTheText) {
  const Case other = *viewOf(named("one pass off"), parseCase(kChain, "test"), 1);
  EXPECT_EQ(other.options.disabledPasses.size(), 1u);
  EXPECT_NE(printCase(other).find("#: view = one pass off"), std::string::npos);
}

TEST(ViewsTest, TheSampleDependsOnSeedAndNumberAlone) {
  for (const View& view : allViews()) {
    int drawn = 0;
    std::set<uint64_t> draws;
    for (uint64_t number = 0; number < 20000; ++number) {
      const auto draw = viewDraw(view, 1, number);
      EXPECT_EQ(draw, viewDraw(view, 1, number));
      drawn += draw.has_value();
      if (draw) draws.insert(*draw);
    }
    // Within a quarter of the stated rate.
    EXPECT_NEAR(drawn * view.oneIn, 20000, 5000) << view.name;
    EXPECT_EQ(draws.size(), static_cast<size_t>(drawn)) << view.name;
  }
}

}  // namespace
}  // namespace fuser::fuzz
