// minimize(): what stops it before it begins, what it keeps, and that a dead candidate costs one candidate.

#include "fuzz/minimize/minimize.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/minimize/judging.h"
#include "fuzz/minimize/reducers.h"
#include "fuzz/minimize/search.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kProgram = R"(fusion f(%x: f32[i0, i1], %y: f32[i0, i1], %s: f64) {
  %a = add(%x, %y)
  %b = mul(%a, %s)
  %c = exp(%b)
  %d = sub(%c, %a)
  %t = sum(%d) {dims = [1]}
  %u = neg(%t)
  return %u, %d, %b
}
)";
constexpr const char* kRuns = R"(run { %x = uniform(seed = 1, low = 1, high = 2) : f32[17, 33]
      %y = uniform(seed = 2, low = 1, high = 2) : f32[17, 33]
      %s = 0.125 }
run { %x = uniform(seed = 3, low = 1, high = 2) : f32[4, 300]
      %y = uniform(seed = 4, low = 1, high = 2) : f32[4, 300]
      %s = 0.5 }
)";

std::string withFault(const std::string& fault) { return concat(kProgram, "option fault = \"", fault, "\"\n", kRuns); }

TEST(MinimizeTest, MinimizesToTheWrongOp) {
  const Minimized result = minimize(withFault("swapped-operands"), {});
  EXPECT_EQ(result.problem, "");
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.before.expressions, 6u);
  EXPECT_LE(result.after.expressions, 2u) << result.text;  // the sum that makes the segment's scheduler what it is
  EXPECT_LE(result.after.elements, 4) << result.text;      // of one element nobody can say that it is off by a factor
  const Case testCase = parseCase(result.text, "minimized");
  EXPECT_EQ(testCase.runs.size(), 1u);
  EXPECT_EQ(testCase.fusion->exprs().front()->op(), OpKind::Sub);
  EXPECT_EQ(testCase.options.fault, "swapped-operands");  // without it nothing is wrong
  EXPECT_EQ(judgeCase(testCase).kind, VerdictKind::Differs);
  EXPECT_NE(result.text.find("#: bucket = " + toString(result.bucket)), std::string::npos) << result.text;
  EXPECT_GT(result.tried, 0u);
}

// A bug that has nothing to do with the op has one smallest case, and one that has keeps its op.
TEST(MinimizeTest, IrrelevantOpsAreSimplified) {
  const auto smallest = [](const std::string& line, const std::string& fault) {
    const Minimized result = minimize(R"(
fusion f(%x: f32[i0], %y: f32[i0]) {
  %a = )" + line + R"(
  return %a
}
option fault = ")" + fault + R"("
run { %x = uniform(seed = 1, low = 1, high = 2) : f32[300]
      %y = uniform(seed = 2, low = 1, high = 2) : f32[300] }
)",
                                      {});
    EXPECT_EQ(result.problem, "");
    return parseCase(result.text, "minimized").fusion->exprs().at(0)->op();
  };
  EXPECT_EQ(smallest("atan2(%x, %y)", "output-copy-dropped"), plainOp(Family::Unary));
  EXPECT_EQ(smallest("sum(%x) {dims = [0]}", "wrong-identity-sum"), OpKind::Sum);
  EXPECT_EQ(smallest("amin(%x) {dims = [0]}", "block-reduce-dropped"), plainOp(Family::Reduction));
  EXPECT_EQ(smallest("sub(%x, %y)", "swapped-operands"), OpKind::Sub);
}

TEST(MinimizeTest, SameBudgetInCandidatesSameResult) {
  MinimizeSettings settings;
  settings.maxTried = 25;
  const Minimized one = minimize(withFault("expm1-for-exp"), settings);
  const Minimized two = minimize(withFault("expm1-for-exp"), settings);
  EXPECT_EQ(one.text, two.text);
  EXPECT_EQ(one.tried, two.tried);
  EXPECT_FALSE(one.finished);
  EXPECT_LT(one.after.bytes, one.before.bytes);
}

TEST(MinimizeTest, EachSuccessIsLogged) {
  std::vector<std::string> lines;
  const LogPtr log = logTo(LogLevel::Info, [&](LogLevel level, std::string_view line) {
    EXPECT_EQ(level, LogLevel::Info);
    lines.emplace_back(line);
  });
  MinimizeSettings settings;
  settings.maxTried = 25;
  settings.log = log.get();
  minimize(withFault("expm1-for-exp"), settings);
  ASSERT_FALSE(lines.empty());
  EXPECT_NE(lines.front().find("expressions"), std::string::npos) << lines.front();
}

TEST(MinimizeTest, AgreeingCasesAreNotMinimized) {
  EXPECT_NE(minimize(concat(kProgram, kRuns), {}).problem.find("not a finding: agrees"), std::string::npos);
  EXPECT_THROW(minimize("fusion", {}), UserError);
}

TEST(MinimizeTest, AFailureOfEveryCaseIsNotMinimized) {
  MinimizeSettings settings;
  AfterPasses failing([](Fusion&) { FUSER_CHECK(false, "always"); });
  settings.judge.observers = {&failing};
  EXPECT_NE(minimize(concat(kProgram, kRuns), settings).problem.find("a trivial case fails too"), std::string::npos);
}

TEST(MinimizeTest, TheBestSoFarIsOnDiskWhenItIsInterrupted) {
  const std::filesystem::path place = std::filesystem::path(testing::TempDir()) / "best-so-far.fusion";
  MinimizeSettings settings;
  settings.bestSoFar = place;
  int asked = 0;
  settings.interrupted = [&] { return ++asked > 8; };
  const Minimized result = minimize(withFault("swapped-operands"), settings);
  EXPECT_FALSE(result.finished);
  std::ifstream in(place);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), result.text);
  EXPECT_TRUE(isFinding(judgeCase(parseCase(text.str(), "best")).kind));
  std::filesystem::remove(place);
}

bool hasOp(const Fusion& fusion, OpKind op) {
  for (const Expr* expr : fusion.exprs()) {
    if (expr->op() == op) return true;
  }
  return false;
}

TEST(MinimizeTest, ACrashIsMinimizedAndOtherFindingsAreStored) {
  MinimizeSettings settings;
  AfterPasses dying([](Fusion& fusion) {
    if (hasOp(fusion, OpKind::Exp) && hasOp(fusion, OpKind::Sum)) raise(SIGSEGV);
    FUSER_CHECK(!hasOp(fusion, OpKind::Exp), "exp alone");
  });
  settings.judge.observers = {&dying};
  const Minimized result = minimize(concat(kProgram, kRuns), settings);
  EXPECT_EQ(result.problem, "");
  EXPECT_EQ(result.bucket.kind, "crash");
  EXPECT_EQ(result.bucket.pattern.rfind("signal Segmentation fault < ", 0), 0u) << result.bucket.pattern;
  EXPECT_NE(result.bucket.pattern.find("fuser::AfterPasses::afterPasses"), std::string::npos) << result.bucket.pattern;
  EXPECT_LE(result.after.expressions, 2u) << result.text;
  const Case testCase = parseCase(result.text, "minimized");
  EXPECT_TRUE(hasOp(*testCase.fusion, OpKind::Exp) && hasOp(*testCase.fusion, OpKind::Sum)) << result.text;
  ASSERT_EQ(result.others.size(), 1u);
  EXPECT_EQ(result.others[0].bucket.kind, "check");
}

__attribute__((noinline)) void dieHere() {
  raise(SIGSEGV);
  asm volatile("");
}
__attribute__((noinline)) void dieThere() {
  raise(SIGSEGV);
  asm volatile("");
}

// Two crashes by one signal are two bugs where they come from two places.
TEST(MinimizeTest, ACrashIsNotReplacedByAnotherCrash) {
  MinimizeSettings settings;
  AfterPasses dying([](Fusion& fusion) {
    if (hasOp(fusion, OpKind::Exp) && hasOp(fusion, OpKind::Sum)) dieHere();
    if (hasOp(fusion, OpKind::Exp)) dieThere();
  });
  settings.judge.observers = {&dying};
  const Minimized result = minimize(concat(kProgram, kRuns), settings);
  EXPECT_EQ(result.problem, "");
  EXPECT_NE(result.bucket.pattern.find("dieHere"), std::string::npos) << result.bucket.pattern;
  const Case testCase = parseCase(result.text, "minimized");
  EXPECT_TRUE(hasOp(*testCase.fusion, OpKind::Sum)) << result.text;
  ASSERT_EQ(result.others.size(), 1u);
  EXPECT_NE(result.others[0].bucket.pattern.find("dieThere"), std::string::npos) << result.others[0].bucket.pattern;
}

// Builders refuse what makes no sense by a UserError; a check of theirs that fails is a bug, whatever is minimised.
TEST(SearchTest, AFailedCheckOfABuilderIsKeptAsAFindingOfItsOwn) {
  MinimizeSettings settings;
  Judging judging(settings.judge, settings.limits);
  const std::string text = printCase(parseCase(withFault("swapped-operands"), "f"));
  Minimized result;
  Search search(text, judging.bucket(text), judging.judge(text), judging, settings, result);
  const EditCase failing = [](CaseEdit&) -> bool { FUSER_CHECK(false, "the builder of reshape"); };
  EXPECT_FALSE(search.attempt(failing));
  EXPECT_FALSE(search.attempt(failing)) << "one finding all the same";
  const EditCase refused = [](CaseEdit&) -> bool { throw UserError("no such axis"); };
  EXPECT_FALSE(search.attempt(refused));
  ASSERT_EQ(result.others.size(), 1u);
  EXPECT_EQ(result.others[0].bucket.kind, "check");
  EXPECT_EQ(result.others[0].text, text);
  EXPECT_NE(result.others[0].failedCheck.find("the builder of reshape"), std::string::npos);
}

TEST(MinimizeTest, AnUnexpectedBucketIsAProblem) {
  MinimizeSettings settings;
  settings.bucket = "differs | pass NoSuchPass | - | nan";
  const Minimized result = minimize(withFault("swapped-operands"), settings);
  EXPECT_NE(result.problem.find("instead of differs | pass NoSuchPass | - | nan"), std::string::npos) << result.problem;
  EXPECT_EQ(result.tried, 0u);
}

TEST(MinimizeTest, EachReducerHasANameAndASummary) {
  for (const Reducer& reducer : allReducers()) {
    EXPECT_FALSE(reducer.name.empty() || reducer.price.empty() || reducer.summary.empty());
  }
}

}  // namespace
}  // namespace fuser::fuzz
