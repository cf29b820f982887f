// Cases that LibTorch or fuser refuses, on another compiler: what it must refuse, too.

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "fuzz/compilers/target_judge.h"
#include "tests/fuzz/compilers/fake_worker.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kTwoNumbers = "write(answer(identity, 1, '', run(floats(2, 4))))";

// On a worker that gives two numbers, whatever it is asked.
CaseVerdict verdictOf(const std::string& text, const std::string& control = kTwoNumbers) {
  JudgeSettings settings;
  settings.target = makeTargetJudge(targetNamed("torch-compile"), shortLimits(), {{"compile", fakeWorker(kTwoNumbers)}},
                                    fakeWorker(control), JudgingMode::Exact);
  return judgeCase(parseCase(text, "test"), settings);
}

// torch.compile removes a gather that nothing reads, and with it the error of its index.
TEST(RefusalsTest, WhatNothingReadsNeedNotBeRefused) {
  const auto kindOf = [](const std::string& returned) {
    const std::string text = concat(
        "fusion f(%x: f32[i0], %i: i64[i1]) {\n  %g = gather(%x, %i) {dim = 0}\n"
        "  %y = add(%x, %x)\n  return ",
        returned,
        "\n}\n"
        "run { %x = values [1.0, 2.0] : f32[2]  %i = values [9] : i64[1] }\n"
        "expect agrees or rejected\n");
    return verdictOf(text, "write(answer(identity, 3, 'index 9 is out of bounds'))").kind;
  };
  EXPECT_EQ(kindOf("%y"), VerdictKind::Unsupported);
  EXPECT_EQ(kindOf("%y, %g"), VerdictKind::Check);
}

// As a mutant may be.
TEST(RefusalsTest, UpdatesOnStreamsAreRejectedAndNoFinding) {
  const CaseVerdict verdict = verdictOf(R"(
fusion f(%x: f32[i0, i1], %u: f32[i0, i1]) {
  update %x = %u
  %y = add(%u, %u)
  return %y
}
stream %y {dim = 0}
run { %x = values [1.0] : f32[1, 1]  %u = values [2.0] : f32[1, 1] }
expect agrees or rejected
)");
  EXPECT_EQ(verdict.kind, VerdictKind::Rejected) << toString(verdict);
  EXPECT_EQ(verdict.reason, "update: a fusion with updates runs on one device, without streams");
}

}  // namespace
}  // namespace fuser::fuzz
