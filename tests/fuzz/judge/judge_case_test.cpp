// The verdict of a case: what agrees, what is rejected, and that planted faults are findings with the wrong op named.

#include "fuzz/judge/judge_case.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "fuzz/generate/generate.h"
#include "fuzz/judge/compiler_batch.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser::fuzz {
namespace {

CaseVerdict verdictOf(const std::string& text, const JudgeSettings& settings = {}) {
  return judgeCase(parseCase(text, "test"), settings);
}

constexpr const char* kSoftmax = R"(
fusion softmax(%x: f32[i0, i1]) {
  %m = amax(%x) {dims = [1], keepdim = true}
  %d = sub(%x, %m)
  %e = exp(%d)
  %t = sum(%e) {dims = [1], keepdim = true}
  %y = div(%e, %t)
  return %y
}
run { %x = normal(seed = 1) : f32[33, 65] }
run { %x = normal(seed = 2) : f32[5, 130] }
)";

TEST(JudgeCaseTest, ACorrectRunAgrees) {
  const CaseVerdict verdict = verdictOf(kSoftmax);
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  EXPECT_TRUE(verdict.expected);
  EXPECT_EQ(verdict.outputs.judged, 33 * 65 + 5 * 130);
  EXPECT_EQ(verdict.elements.decided, verdict.elements.judged);
  EXPECT_GE(verdict.compilations, 1);
  EXPECT_FALSE(verdict.schedulers.empty());
}

// The sum reads the product before its rounding, and not the copy that is stored.
TEST(JudgeCaseTest, WithContractionAStoredProductIsNotWhatItsSumReads) {
  const CaseVerdict verdict = verdictOf(R"(
fusion f(%a: f32[i0], %b: f32[i0], %c: f32[i0]) {
  %m = mul(%a, %b)
  %s = add(%m, %c)
  return %s
}
option enable contraction
option enable probes
run { %a = normal(seed = 1) : f32[1000]
      %b = normal(seed = 2) : f32[1000]
      %c = normal(seed = 3) : f32[1000] }
)");
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
}

TEST(JudgeCaseTest, MismatchedSizesAreRejected) {
  const std::string program = R"(
fusion f(%x: f32[i0], %y: f32[i1]) {
  %z = add(%x, %y)
  return %z
}
run { %x = normal(seed = 1) : f32[4]
      %y = normal(seed = 2) : f32[5] }
)";
  const CaseVerdict unexpected = verdictOf(program);
  EXPECT_EQ(unexpected.kind, VerdictKind::Rejected);
  EXPECT_FALSE(unexpected.expected);
  EXPECT_NE(unexpected.reason.find("4"), std::string::npos) << unexpected.reason;
  EXPECT_EQ(unexpected.rejection, "") << "sizes that do not fit are on no list";
  JudgeSettings valid;
  valid.rejectionsAreFindings = true;
  EXPECT_EQ(verdictOf(program, valid).kind, VerdictKind::Invariant);
  valid.maxInputBytes = 8;
  const CaseVerdict large = verdictOf(program, valid);
  EXPECT_EQ(large.kind, VerdictKind::Rejected);
  EXPECT_EQ(large.rejection, "input-memory");
  const CaseVerdict expected = verdictOf(program + "expect rejected\n");
  EXPECT_EQ(expected.kind, VerdictKind::Agrees) << toString(expected);
  EXPECT_TRUE(expected.expected);
}

TEST(JudgeCaseTest, AnExpectedRejectionDoesNotHideAnEarlierRun) {
  const CaseVerdict verdict = verdictOf(R"(
fusion f(%x: f32[i0], %y: f32[i1]) {
  %z = add(%x, %y)
  return %z
}
run { %x = normal(seed = 1) : f32[4]
      %y = normal(seed = 2) : f32[5] }
expect agrees
run { %x = normal(seed = 1) : f32[4]
      %y = normal(seed = 2) : f32[6] }
expect rejected
)");
  EXPECT_EQ(verdict.kind, VerdictKind::Rejected);
  EXPECT_FALSE(verdict.expected);
  EXPECT_EQ(verdict.run, 0);
}

TEST(JudgeCaseTest, ACaseWithoutARunIsNotJudged) {
  EXPECT_EQ(verdictOf("fusion f(%x: f32[i0]) {\n  return %x\n}\n").kind, VerdictKind::Unsupported);
}

TEST(JudgeCaseTest, ARunThatShouldBeRejectedIsAFinding) {
  const CaseVerdict verdict = verdictOf(std::string(kSoftmax) + "expect rejected\n");
  EXPECT_EQ(verdict.kind, VerdictKind::Differs);
  EXPECT_FALSE(verdict.expected);
}

// A fault planted after the passes: the first op of one kind becomes another.
auto swapOp(OpKind from, OpKind to) {
  return AfterPasses([from, to](Fusion& fusion) {
    for (Expr* expr : std::vector<Expr*>(fusion.exprs())) {
      if (expr->op() != from) continue;
      const std::vector<Val*> inputs = expr->inputs(), outputs = expr->outputs();
      fusion.removeExpr(expr);
      fusion.newExpr(to, inputs, outputs);
      return;
    }
  });
}

TEST(JudgeCaseTest, APlantedFaultDiffersAndNamesTheFirstWrongOp) {
  JudgeSettings settings;
  auto fault = swapOp(OpKind::Exp, OpKind::Expm1);
  settings.observers = {&fault};
  const CaseVerdict verdict = verdictOf(kSoftmax, settings);
  EXPECT_EQ(verdict.kind, VerdictKind::Differs);
  EXPECT_EQ(verdict.run, 0);
  EXPECT_NE(verdict.detail.find("%e"), std::string::npos) << verdict.detail;
  EXPECT_NE(verdict.reason.find("Exp"), std::string::npos) << verdict.reason;
}

TEST(JudgeCaseTest, ACheckIsAFindingAndAUserErrorIsNot) {
  JudgeSettings ours, callers;
  AfterPasses bug([](Fusion&) { FUSER_CHECK(false, "planted"); });
  AfterPasses rejection([](Fusion&) { FUSER_USER_CHECK(false, "planted"); });
  ours.observers = {&bug};
  callers.observers = {&rejection};
  EXPECT_EQ(verdictOf(kSoftmax, ours).kind, VerdictKind::Check);
  EXPECT_EQ(verdictOf(kSoftmax, callers).kind, VerdictKind::Rejected);
}

TEST(JudgeCaseTest, EveryKindHasANameAndFindingsHaveAPrefix) {
  for (int i = 0; i <= static_cast<int>(VerdictKind::Crash); ++i) {
    const auto kind = static_cast<VerdictKind>(i);
    EXPECT_EQ(verdictFromName(verdictName(kind)), kind);
    EXPECT_EQ(artifactPrefix(kind).empty(), !isFinding(kind));
  }
}

TEST(JudgeCaseTest, PlantedFaultsInGeneratedCasesAreFound) {
  // add becomes sub: a finding wherever the case has an add that an output depends on and that changes something.
  JudgeSettings settings;
  auto fault = swapOp(OpKind::Add, OpKind::Sub);
  settings.observers = {&fault};
  GeneratorOptions options;
  options.only = {OpKind::Add, OpKind::Mul, OpKind::Sum};
  options.medianElements = 64;
  int found = 0;
  for (uint64_t number = 0; number < 60; ++number) {
    found += isFinding(judgeCase(generateCase(1, number, options), settings).kind);
  }
  EXPECT_GE(found, 20);
}

TEST(CompilerBatchTest, CasesRunOnTheCpuEngineAndAsPtx) {
  std::vector<Case> cases;
  for (uint64_t number = 0; number < 6; ++number) cases.push_back(generateCase(8, number));
  std::vector<const Case*> pointers;
  for (const Case& one : cases) pointers.push_back(&one);
  const BatchResult result = runCompilerBatch(pointers);
  EXPECT_EQ(result.problem, "");
  EXPECT_TRUE(result.findings.empty()) << toString(result.findings[0].verdict);
  EXPECT_GT(result.kernels, 0u);
  ASSERT_EQ(result.skipped, "");  // tests/setup.sh installs both compilers
  EXPECT_EQ(result.cases, 6u);
  EXPECT_EQ(result.ptxCases, 12u);  // of two architectures
  EXPECT_GT(result.clangSeconds, 0);
  EXPECT_GT(result.elements.judged, 0);
  EXPECT_EQ(result.elements.outside, 0);
}

TEST(CompilerBatchTest, ACaseWithTooManyWaitingThreadsForTheCpuEngineIsLeftOutWithItsReason) {
  const Case large = parseCase(R"(
fusion f(%x: f32[i0]) {
  %a = neg(%x)
  %b = flip(%a) {dims = [0]}
  %c = abs(%a)
  %y = add(%c, %b)
  return %y
}
schedule {
  cacheBefore %y -> %y.local
  setMemoryType %a {memory = global}
  split %a {axis = 0, factor = 1024}
  parallelize %a {axis = 0, type = BIDx}
  parallelize %a {axis = 1, type = TIDx}
  propagate %a
  parallelizeAllLike %a
  inlineMost
}
run { %x = normal(seed = 1) : f32[65536] }
)",
                               "test");
  const Case good = parseCase(kSoftmax, "test");
  const BatchResult result = runCompilerBatch({&large, &good});
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(result.withoutRoom, 1u);
  EXPECT_EQ(result.skipped, "");
  EXPECT_EQ(result.cases, 1u);
}

TEST(CompilerBatchTest, ACompilersErrorNamesItsEngine) {
  const Case good = parseCase(kSoftmax, "test");
  const MakeEngine refuses = []() -> std::unique_ptr<Engine> { FUSER_CHECK(false, "it does not compile"); };
  const BatchResult result = runCompilerBatch({&good}, {0}, refuses);
  EXPECT_NE(result.problem.find("it does not compile"), std::string::npos) << result.problem;
  EXPECT_EQ(result.problemEngine, "cpu");
  EXPECT_EQ(result.ptxCases, 0u);
}

TEST(CompilerBatchTest, ACaseThatIsRejectedDoesNotSpoilTheOthers) {
  const Case rejected = parseCase(R"(
fusion f(%x: f32[i0], %y: f32[i1]) {
  %z = add(%x, %y)
  return %z
}
run { %x = normal(seed = 1) : f32[4]
      %y = normal(seed = 2) : f32[5] }
)",
                                  "test");
  const Case good = parseCase(kSoftmax, "test");
  const BatchResult result = runCompilerBatch({&rejected, &good});
  ASSERT_EQ(result.skipped, "");
  EXPECT_EQ(result.cases, 1u);
}

}  // namespace
}  // namespace fuser::fuzz
