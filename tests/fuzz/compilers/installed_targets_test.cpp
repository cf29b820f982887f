// The targets whose environments are there; the others are skipped.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "fuser/text/parser.h"
#include "fuzz/compilers/target_judge.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kDoubled = R"(
fusion f(%x: f32[i0]) {
  %y = add(%x, %x)
  return %y
}
run { %x = values [1.0, 2.0] : f32[2] }
)";

class InstalledTargetTest : public testing::TestWithParam<const char*> {};

TEST_P(InstalledTargetTest, AgreesWithLibTorch) {
  const Target& target = targetNamed(GetParam());
  if (const std::string why = whyNotSetUp(target); !why.empty()) GTEST_SKIP() << why;
  JudgeSettings settings;
  settings.target = makeTargetJudge(target, {.seconds = 60});
  const CaseVerdict verdict = judgeCase(parseCase(kDoubled, "test"), settings);
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
}

// bf16, bool, integers that wrap, numbers, empty tensors and two runs.
constexpr const char* kEveryDtype = R"(
fusion f(%x: bf16[i0], %i: i8[i0], %b: bool[i0], %k: f64) {
  %y = mul(%x, %x)
  %j = add(%i, %i)
  %c = logical_not(%b)
  %s = add(%k, 0.5)
  %h = cast(%j) {dtype = f16}
  return %y, %j, %c, %s, %h, %x
}
run { %x = values [1.0, -3.0] : bf16[2]  %i = values [4, -5] : i8[2]  %b = values [true, false] : bool[2]  %k = 0.25 }
run { %x = values [] : bf16[0]  %i = values [] : i8[0]  %b = values [] : bool[0]  %k = 2.0 }
)";

TEST_P(InstalledTargetTest, EveryDtypeComesBackFromEachRun) {
  const Target& target = targetNamed(GetParam());
  if (const std::string why = whyNotSetUp(target); !why.empty()) GTEST_SKIP() << why;
  JudgeSettings settings;
  settings.target = makeTargetJudge(target, {.seconds = 60});
  const CaseVerdict verdict = judgeCase(parseCase(kEveryDtype, "test"), settings);
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  EXPECT_EQ(verdict.elements.judged, 12);
}

TEST_P(InstalledTargetTest, CasesAtOnceAgree) {
  const Target& target = targetNamed(GetParam());
  if (const std::string why = whyNotSetUp(target); !why.empty()) GTEST_SKIP() << why;
  JudgeSettings settings;
  settings.target = makeTargetJudge(target, {.seconds = 60});
  const Case doubled = parseCase(kDoubled, "doubled"), every = parseCase(kEveryDtype, "every dtype");
  const std::array<const Case*, 3> cases = {&doubled, &every, &doubled};
  const std::vector<CaseVerdict> verdicts = settings.target->judge(cases, settings);
  ASSERT_EQ(verdicts.size(), 3u);
  for (const CaseVerdict& verdict : verdicts) EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  EXPECT_EQ(verdicts[1].elements.judged, 12);
}

TEST_P(InstalledTargetTest, DecisionsNameNoValue) {
  const Target& target = targetNamed(GetParam());
  if (const std::string why = whyNotSetUp(target); !why.empty()) GTEST_SKIP() << why;
  std::vector<std::set<std::string>> decisions;
  JudgeSettings settings;
  settings.target = makeTargetJudge(target, {.seconds = 60});
  settings.decisionsOfTarget = &decisions;
  std::string renamed = kDoubled;
  std::replace(renamed.begin(), renamed.end(), 'y', 'w');
  const Case doubled = parseCase(kDoubled, "doubled"), other = parseCase(renamed, "renamed");
  const std::array<const Case*, 2> cases = {&doubled, &other};
  for (const CaseVerdict& verdict : settings.target->judge(cases, settings))
    EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  ASSERT_EQ(decisions.size(), 2u);
  EXPECT_EQ(decisions[0], decisions[1]);
  EXPECT_EQ(decisions[0].empty(), target.tells == Tells::Nothing);
}

INSTANTIATE_TEST_SUITE_P(Targets, InstalledTargetTest,
                         testing::Values("torch-eager", "onnx-reference", "onnxruntime", "openvino", "tvm-cpu",
                                         "stablehlo-interpreter", "xla-cpu", "iree-cpu"),
                         [](const auto& target) {
                           std::string name = target.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace fuser::fuzz
