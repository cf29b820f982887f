// A case on another compiler: what its worker answers becomes a verdict, and nothing right becomes a finding.

#include "fuzz/compilers/target_judge.h"

#include <gtest/gtest.h>

#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuzz/judge/bucket.h"
#include "tests/fuzz/compilers/fake_worker.h"

namespace fuser::fuzz {
namespace {

// 1 + 1 and 2 + 2.
constexpr const char* kDoubled = R"(
fusion f(%x: f32[i0]) {
  %y = add(%x, %x)
  return %y
}
run { %x = values [1.0, 2.0] : f32[2] }
)";

constexpr const char* kRight = "write(answer(identity, 1, '', run(floats(2, 4))))";
constexpr const char* kWrong = "write(answer(identity, 1, '', run(floats(2, 5))))";

JudgeSettings settingsWith(const std::string& worker, const std::string& control = "", double seconds = 20) {
  WorkerLimits limits = shortLimits();
  limits.seconds = seconds;
  JudgeSettings settings;
  settings.target = makeTargetJudge(targetNamed("torch-compile"), limits, {{"compile", fakeWorker(worker)}},
                                    control.empty() ? WorkerCommand() : fakeWorker(control));
  return settings;
}

CaseVerdict verdictOf(const std::string& worker, const std::string& control = "", const std::string& text = kDoubled) {
  return judgeCase(parseCase(text, "test"), settingsWith(worker, control));
}

TEST(TargetJudgeTest, ARightAnswerAgrees) {
  const CaseVerdict verdict = verdictOf(kRight);
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  EXPECT_EQ(verdict.elements.judged, 2);
  EXPECT_EQ(verdict.elements.decided, 2);
}

TEST(TargetJudgeTest, AWrongElementDiffersAndHasABucket) {
  const Case testCase = parseCase(kDoubled, "test");
  const JudgeSettings settings = settingsWith(kWrong, kRight);
  const CaseVerdict verdict = judgeCase(testCase, settings);
  EXPECT_EQ(verdict.kind, VerdictKind::Differs) << toString(verdict);
  EXPECT_EQ(verdict.reason, "%y: 1 of 2 elements differ");
  EXPECT_EQ(verdict.wrongOp, "Add");
  EXPECT_NE(verdict.detail.find("5"), std::string::npos);
  EXPECT_EQ(bucketOf(testCase, verdict, settings).stage, "torch-compile");
}

TEST(TargetJudgeTest, WhereTheControlIsWrongNothingIsFound) {
  const CaseVerdict both = verdictOf(kWrong, kWrong);
  EXPECT_EQ(both.kind, VerdictKind::Undecided) << toString(both);
  EXPECT_EQ(both.reason, "the control torch-eager differs, too");
  EXPECT_EQ(verdictOf(kWrong, "os._exit(0)").kind, VerdictKind::Undecided);
}

TEST(TargetJudgeTest, AnotherTypeDiffers) {
  const CaseVerdict shape = verdictOf("write(answer(identity, 1, '', run(floats(2, 4, 6))))", kRight);
  EXPECT_EQ(shape.kind, VerdictKind::Differs);
  EXPECT_EQ(shape.reason, "%y is f32[3] instead of f32[2]");
  const CaseVerdict dtype = verdictOf("write(answer(identity, 1, '', run(tensor(5, [2], b'12345678'))))", kRight);
  EXPECT_EQ(dtype.reason, "%y is i32[2] instead of f32[2]");
  EXPECT_EQ(verdictOf("write(answer(identity, 1, '', run(floats(2, 4), floats(1))))", kRight).reason,
            "2 outputs instead of 1");
}

TEST(TargetJudgeTest, RefusalsAndErrorsAreToldApart) {
  const CaseVerdict unsupported = verdictOf("write(answer(identity, 2, 'no such op'))");
  EXPECT_EQ(unsupported.kind, VerdictKind::Unsupported);
  EXPECT_EQ(unsupported.reason, "torch-compile does not take it: no such op");
  const CaseVerdict compileError = verdictOf("write(answer(identity, 3, 'KeyError: 3'))");
  EXPECT_EQ(compileError.kind, VerdictKind::Check);
  EXPECT_EQ(compileError.reason, "torch-compile does not compile it: KeyError: 3");
  EXPECT_EQ(verdictOf("write(answer(identity, 4, 'IndexError: 3'))").reason, "torch-compile fails: IndexError: 3");
}

TEST(TargetJudgeTest, WhatTheProcessDoesIsAFinding) {
  EXPECT_EQ(verdictOf("os._exit(3)").kind, VerdictKind::Crash);
  EXPECT_EQ(verdictOf("os._exit(3)").reason, "the worker of torch-compile: exit code 3");
  EXPECT_EQ(verdictOf("write(answer(identity, 1))").reason, "the worker of torch-compile leaves out run 0");
  const CaseVerdict lie = verdictOf("write(b'\\xff\\xff\\xff\\xff')");
  EXPECT_EQ(lie.kind, VerdictKind::Invariant);
  const CaseVerdict hang = judgeCase(parseCase(kDoubled, "test"), settingsWith("time.sleep(100)", "", 0.3));
  EXPECT_EQ(hang.kind, VerdictKind::Hang);
}

TEST(TargetJudgeTest, AnInexactRunIsNotJudgedButCounted) {
  const std::string thirds = R"(
fusion f(%x: f32[i0]) {
  %y = add(%x, %x)
  return %y
}
run { %x = values [1.0, 2.0] : f32[2] }
run { %x = values [0.1, 1e20] : f32[2] }
)";
  const CaseVerdict verdict = verdictOf(kRight, "", thirds);
  EXPECT_EQ(verdict.kind, VerdictKind::Undecided);
  EXPECT_EQ(verdict.run, 1);
  EXPECT_EQ(verdict.elements.judged, 4);
  EXPECT_EQ(verdict.elements.decided, 2);
}

TEST(TargetJudgeTest, ZerosOfBothSignsAreEqual) {
  const std::string zero =
      "fusion f(%x: f32[i0]) {\n  %y = mul(%x, 0.0)\n  return %y\n}\nrun { %x = values [-1.0] : f32[1] }\n";
  EXPECT_EQ(verdictOf("write(answer(identity, 1, '', run(floats(0.0))))", "", zero).kind, VerdictKind::Agrees);
}

// Two views, the second one sees one case in `every`.
CaseVerdict verdictOfViews(const std::string& main, const std::string& second, uint64_t every = 1,
                           HowOften often = HowOften::Sampled) {
  JudgeSettings settings;
  settings.secondLooks = often;
  settings.target = makeTargetJudge(targetNamed("torch-compile"), shortLimits(),
                                    {{"main", fakeWorker(main)}, {"second", fakeWorker(second), every}}, {});
  return judgeCase(parseCase(kDoubled, "test"), settings);
}

TEST(TargetJudgeTest, ASecondViewIsJudgedToo) {
  EXPECT_EQ(verdictOfViews(kRight, kRight).kind, VerdictKind::Agrees);
  const CaseVerdict verdict = verdictOfViews(kRight, kWrong);
  EXPECT_EQ(verdict.kind, VerdictKind::Differs) << toString(verdict);
  EXPECT_EQ(verdict.reason, "in the view second: %y: 1 of 2 elements differ");
  EXPECT_EQ(verdict.seenIn, SeenIn::View);
  EXPECT_EQ(verdict.elements.judged, 2) << "elements of the main view count";
  EXPECT_EQ(verdictOfViews(kWrong, kRight).seenIn, SeenIn::Run);
}

TEST(TargetJudgeTest, ASampledViewFollowsSecondLooks) {
  constexpr uint64_t kAlmostNever = uint64_t{1} << 40;
  EXPECT_EQ(verdictOfViews(kRight, kWrong, kAlmostNever).kind, VerdictKind::Agrees);
  EXPECT_EQ(verdictOfViews(kRight, kWrong, kAlmostNever, HowOften::Always).kind, VerdictKind::Differs);
  EXPECT_EQ(verdictOfViews(kRight, kWrong, 1, HowOften::Never).kind, VerdictKind::Agrees);
}

// Whose environment is not there, is left out.
class InstalledTargetTest : public testing::TestWithParam<const char*> {};

TEST_P(InstalledTargetTest, AgreesWithLibTorch) {
  const Target& target = targetNamed(GetParam());
  if (const std::string why = whyNotSetUp(target); !why.empty()) GTEST_SKIP() << why;
  JudgeSettings settings;
  settings.target = makeTargetJudge(target, {.seconds = 60});
  const CaseVerdict verdict = judgeCase(parseCase(kDoubled, "test"), settings);
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
}

// bf16, bool, integers that wrap, numbers, empty tensors and two runs go there and back.
TEST_P(InstalledTargetTest, EveryDtypeComesBackFromEachRun) {
  const Target& target = targetNamed(GetParam());
  if (const std::string why = whyNotSetUp(target); !why.empty()) GTEST_SKIP() << why;
  const std::string text = R"(
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
  JudgeSettings settings;
  settings.target = makeTargetJudge(target, {.seconds = 60});
  const CaseVerdict verdict = judgeCase(parseCase(text, "test"), settings);
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  EXPECT_EQ(verdict.elements.judged, 12);
}

INSTANTIATE_TEST_SUITE_P(Targets, InstalledTargetTest,
                         testing::Values("torch-eager", "stablehlo-interpreter", "xla-cpu", "iree-cpu"),
                         [](const auto& target) {
                           std::string name = target.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace fuser::fuzz
