// Second looks: which errors show only in f64 or with each op alone, which runs get a look, and when bits are compared.

#include <gtest/gtest.h>

#include <algorithm>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/faults/faults.h"
#include "fuzz/generate/generate.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

CaseVerdict verdictWith(HowOften often, const std::string& text) {
  JudgeSettings settings;
  settings.secondLooks = often;
  return judgeCase(parseCase(text, "second look"), settings);
}

// Each error is smaller than the noise of f32 or bf16, or lies behind the error of a library function.
struct HiddenError {
  const char* name;
  const char* text;
  SeenIn seenIn;
};

class HiddenErrorTest : public testing::TestWithParam<HiddenError> {};

TEST_P(HiddenErrorTest, ShowsOnSecondLookAlone) {
  const std::string text = GetParam().text;
  EXPECT_EQ(verdictWith(HowOften::Never, text).kind, VerdictKind::Agrees);
  const CaseVerdict verdict = verdictWith(HowOften::Always, text);
  EXPECT_EQ(verdict.kind, VerdictKind::Differs) << toString(verdict);
  EXPECT_EQ(verdict.seenIn, GetParam().seenIn);
  const std::string right = text.substr(0, text.find("option")) + text.substr(text.find("run"));
  EXPECT_FALSE(isFinding(verdictWith(HowOften::Always, right).kind));
}

constexpr HiddenError kHiddenErrors[] = {
    {"LastTermOfABf16Sum", R"(
fusion w(%a: bf16[i0, i1]) {
  %v = sum(%a) {dims = [1]}
  return %v
}
option fault = "bound-one-less"
run { %a = uniform(seed = 1, low = 0, high = 1) : bf16[1, 2049] }
)",
     SeenIn::Twin},
    {"FirstTermOfALongSumTwice", R"(
fusion w(%a: f32[i0, i1]) {
  %m = sum(%a) {dims = [0]}
  return %m
}
option device_cooperative = 0
option fault = "first-element-twice"
run { %a = uniform(seed = 1, low = 0, high = 1) : f32[200000, 1] }
)",
     SeenIn::Twin},
    {"ReciprocalBehindExp", R"(
fusion w(%x: f32[i0], %b: f32[i0]) {
  %e = exp(%x)
  %p = div(%e, %b)
  return %p
}
option fault = "division-by-reciprocal"
run { %x = normal(seed = 1) : f32[300] %b = uniform(seed = 2, low = 1, high = 9) : f32[300] }
)",
     SeenIn::Probes},
};

INSTANTIATE_TEST_SUITE_P(Errors, HiddenErrorTest, testing::ValuesIn(kHiddenErrors),
                         [](const auto& info) { return info.param.name; });

// What the bound of Welford's method shows in f32 already.
TEST(HiddenVarianceErrorTest, ShowsOnTheFirstLook) {
  const auto kindOf = [](const char* fault, const char* sizes) {
    return verdictWith(HowOften::Never,
                       concat("fusion w(%a: f32[i0, i1]) {\n  %v = var(%a) {dims = [1], correction = 1}\n"
                              "  return %v\n}\noption fault = \"",
                              fault, "\"\nrun { %a = normal(seed = 1) : f32", sizes, " }\n"))
        .kind;
  };
  EXPECT_EQ(kindOf("variance-correction-ignored", "[2, 16384]"), VerdictKind::Differs);
  EXPECT_EQ(kindOf("bound-one-less", "[2, 3000]"), VerdictKind::Differs);
  EXPECT_EQ(kindOf("bound-one-less", "[2, 30000]"), VerdictKind::Differs);
}

// A planted fault, in kernels that flip nothing.
class FaultWithoutFlips final : public CompileObserver {
 public:
  explicit FaultWithoutFlips(const std::string& fault) : fault_(plantFault(fault)) {}

  void afterSchedule(int, Fusion& part, Schedule&) override {
    const std::vector<Expr*>& exprs = part.exprs();
    flips_ = std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) { return expr->op() == OpKind::Flip; });
  }
  void afterLower(int segment, Kernel& kernel) override {
    if (!flips_) fault_->afterLower(segment, kernel);
  }

 private:
  std::unique_ptr<PlantedFault> fault_;
  bool flips_ = false;
};

// The quotient lies in its set either way: beside the same program on flipped rows, its other bits show.
TEST(ViewComparisonTest, AnErrorInsideItsSetShowsWhereAViewHasOtherBits) {
  const char* text = R"(
fusion w(%x: f32[i0, i1], %b: f32[i0, i1]) {
  %e = exp(%x)
  %p = div(%e, %b)
  %s = sum(%p) {dims = [1]}
  return %p, %s
}
run {
  %x = normal(seed = 1) : f32[30, 7]
  %b = uniform(seed = 2, low = 1, high = 9) : f32[30, 7]
}
)";
  FaultWithoutFlips fault("division-by-reciprocal");
  JudgeSettings settings;
  settings.probes = false;
  settings.secondLooks = HowOften::Always;
  const CaseVerdict right = judgeCase(parseCase(text, "right"), settings);
  EXPECT_EQ(right.kind, VerdictKind::Agrees) << toString(right);
  EXPECT_GT(right.secondLooks.viewsCompared, 0);
  settings.observers = {&fault};
  const CaseVerdict wrong = judgeCase(parseCase(text, "wrong"), settings);
  EXPECT_EQ(wrong.kind, VerdictKind::Invariant) << toString(wrong);
  EXPECT_EQ(wrong.seenIn, SeenIn::View);
  EXPECT_NE(wrong.reason.find("output %p has other bits in the view 'rows flipped'"), std::string::npos)
      << wrong.reason;
}

reports::SecondLooks sumOver(HowOften often, uint64_t cases) {
  reports::SecondLooks sum;
  JudgeSettings settings;
  settings.secondLooks = often;
  GeneratorOptions options;
  options.exclude = {OpKind::Bitcast};  // which has no twin
  for (uint64_t number = 0; number < cases; ++number) {
    const CaseVerdict verdict = judgeCase(generateCase(11, number, options), settings);
    EXPECT_FALSE(isFinding(verdict.kind)) << "case " << number << ": " << toString(verdict);
    sum.twins += verdict.secondLooks.twins;
    sum.ownSchedules += verdict.secondLooks.ownSchedules;
    sum.twinsRejected += verdict.secondLooks.twinsRejected;
    sum.probed += verdict.secondLooks.probed;
    sum.compared += verdict.secondLooks.compared;
    sum.viewed += verdict.secondLooks.viewed;
    sum.viewsCompared += verdict.secondLooks.viewsCompared;
    sum.otherBits += verdict.secondLooks.otherBits;
  }
  return sum;
}

TEST(SecondLooksTest, TwinsRepeatSchedulesAndProbedRunsAreMostlyComparable) {
  const reports::SecondLooks sum = sumOver(HowOften::Always, 50);
  EXPECT_GT(sum.twins, 25);
  EXPECT_LE(sum.ownSchedules * 5, sum.twins);
  EXPECT_EQ(sum.twinsRejected, 0);
  EXPECT_GT(sum.probed, 50);
  EXPECT_GE(sum.compared * 2, sum.probed);
  EXPECT_GT(sum.viewed, 50);
  EXPECT_GE(sum.viewsCompared * 2, sum.viewed);
}

TEST(SecondLooksTest, NeverAndSampledLookLess) {
  EXPECT_EQ(sumOver(HowOften::Never, 20), reports::SecondLooks());
  const reports::SecondLooks some = sumOver(HowOften::Sampled, 50);
  EXPECT_GT(some.twins, 0);
  EXPECT_GT(some.probed, 0);
  EXPECT_LT(some.probed, 30);
}

// What is drawn follows from the text: a case is judged alike wherever it is.
TEST(SecondLooksTest, TheSameTextIsLookedAtAlike) {
  for (uint64_t number = 0; number < 20; ++number) {
    const Case testCase = generateCase(12, number);
    const Case again = parseCase(printCase(testCase), "again");
    EXPECT_EQ(judgeCase(testCase).secondLooks, judgeCase(again).secondLooks) << "case " << number;
  }
}

}  // namespace
}  // namespace fuser::fuzz
