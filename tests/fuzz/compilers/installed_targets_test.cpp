// The targets whose environments are there; the others are skipped.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "fuser/text/parser.h"
#include "fuzz/compilers/target_judge.h"
#include "tests/fuzz/compilers/doubled.h"

namespace fuser::fuzz {
namespace {

// Installing one takes the network, and up to 400 MB.
class InstalledTargetTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = whyNotSetUp(target_); !why.empty()) GTEST_SKIP() << why;
    settings_.target = makeTargetJudge(target_, {.seconds = 60});
  }

  const Target target_ = targetNamed(GetParam());
  JudgeSettings settings_;
};

TEST_P(InstalledTargetTest, AgreesWithLibTorch) {
  const CaseVerdict verdict = judgeCase(parseCase(kDoubled, "test"), settings_);
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
  const CaseVerdict verdict = judgeCase(parseCase(kEveryDtype, "test"), settings_);
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  EXPECT_EQ(verdict.elements.judged, 12);
}

TEST_P(InstalledTargetTest, CasesAtOnceAgree) {
  const Case doubled = parseCase(kDoubled, "doubled"), every = parseCase(kEveryDtype, "every dtype");
  const std::array<const Case*, 3> cases = {&doubled, &every, &doubled};
  const std::vector<CaseVerdict> verdicts = settings_.target->judge(cases, settings_);
  ASSERT_EQ(verdicts.size(), 3u);
  for (const CaseVerdict& verdict : verdicts) EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  EXPECT_EQ(verdicts[1].elements.judged, 12);
}

TEST_P(InstalledTargetTest, DecisionsNameNoValue) {
  std::vector<std::set<std::string>> decisions;
  settings_.decisionsOfTarget = &decisions;
  std::string renamed = kDoubled;
  std::replace(renamed.begin(), renamed.end(), 'y', 'w');
  const Case doubled = parseCase(kDoubled, "doubled"), other = parseCase(renamed, "renamed");
  const std::array<const Case*, 2> cases = {&doubled, &other};
  for (const CaseVerdict& verdict : settings_.target->judge(cases, settings_))
    EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  ASSERT_EQ(decisions.size(), 2u);
  EXPECT_EQ(decisions[0], decisions[1]);
  EXPECT_EQ(decisions[0].empty(), target_.tells == Tells::Nothing);
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
