// The second run of a case's kernels on the same data.

#include "fuzz/judge/run_again.h"

#include <gtest/gtest.h>

#include <array>

#include "fuser/execute/engine.h"
#include "fuser/text/parser.h"
#include "fuzz/generate/generate.h"

namespace fuser::fuzz {
namespace {

// In which order these are added to 1 shows in the last bit.
constexpr std::string_view kSums = R"(
fusion f(%x: f32[i0], %i: i64[i1], %u: f32[i1]) {
  %y = scatter_add(%x, %i, %u) {dim = 0}
  return %y
}
run { %x = values [1.0] : f32[1]  %i = values [0, 0, 0] : i64[3]  %u = values [0.1, 0.2, 0.3] : f32[3] }
)";

constexpr std::string_view kNegated = R"(
fusion f(%u: f32[i0]) {
  %y = neg(%u)
  return %y
}
run { %u = values [1.0, 2.0, 0.3] : f32[3] }
)";

CaseVerdict verdictOf(std::string_view text, CompileObserver* observer = nullptr) {
  JudgeSettings settings;
  if (observer) settings.observers.push_back(observer);
  return judgeCase(parseCase(std::string(text), "run again"), settings);
}

// Behind so many launches a kernel reads others in the place of %u.
class OtherElements final : public CompileObserver {
 public:
  explicit OtherElements(int launches = 1) : launches_(launches) {}
  void beforeLaunch(const Kernel&, KernelArguments& arguments) override {
    if (launches_-- > 0) return;
    for (TensorRef& tensor : arguments.tensors) {
      if (tensor.dtype == DataType::Float && tensor.sizes == Dims{3}) {
        tensor.data = elements_.data();
        return;
      }
    }
  }

 private:
  int launches_;
  std::array<float, 3> elements_ = {7, 8, 9};
};

TEST(RunAgainTest, SumsByAtomicsHaveOtherBitsThatAreRightToo) {
  const CaseVerdict verdict = verdictOf(kSums);
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  EXPECT_EQ(verdict.secondLooks.otherBits, 1);
}

TEST(RunAgainTest, SumsInOneOrderHaveTheSameBits) {
  const CaseVerdict verdict =
      verdictOf(std::string(kSums).insert(kSums.find("run {"), "option enable deterministic\n"));
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  EXPECT_EQ(verdict.secondLooks.otherBits, 0);
}

TEST(RunAgainTest, ASumThatIsWrongTheSecondTimeIsAFinding) {
  OtherElements others;
  const CaseVerdict verdict = verdictOf(kSums, &others);
  EXPECT_EQ(verdict.kind, VerdictKind::Differs) << toString(verdict);
  EXPECT_EQ(verdict.reason.find("run again on the same data: "), 0u) << verdict.reason;
}

TEST(RunAgainTest, WithoutAtomicsOtherBitsAreAFinding) {
  OtherElements others;
  const CaseVerdict verdict = verdictOf(kNegated, &others);
  EXPECT_EQ(verdict.kind, VerdictKind::Invariant) << toString(verdict);
  EXPECT_NE(verdict.reason.find("has other bits"), std::string::npos) << verdict.reason;
}

TEST(RunAgainTest, BesideSumsByAtomicsOtherBitsOfAnotherOutputAreAFinding) {
  std::string text(kSums);
  text.insert(text.find("  return"), "  %z = neg(%u)\n").insert(text.find("return %y") + 9, ", %z");
  EXPECT_EQ(verdictOf(text).kind, VerdictKind::Agrees);
  OtherElements others(2);  // each of the two kernels runs once before
  const CaseVerdict verdict = verdictOf(text, &others);
  EXPECT_EQ(verdict.kind, VerdictKind::Invariant) << toString(verdict);
  EXPECT_NE(verdict.reason.find("output 1 has other bits"), std::string::npos) << verdict.reason;
}

// What has other bits is right in each order of which the second run's is one.
TEST(RunAgainTest, NoGeneratedSumIsWrongInTheOtherOrder) {
  GeneratorOptions options;
  options.only = {OpKind::ScatterAdd, OpKind::Neg, OpKind::Gather};
  int64_t others = 0;
  for (uint64_t number = 0; number < 60; ++number) {
    const CaseVerdict verdict = judgeCase(generateCase(22, number, options));
    EXPECT_FALSE(isFinding(verdict.kind)) << "case " << number << "\n" << toString(verdict);
    others += verdict.secondLooks.otherBits;
  }
  EXPECT_GT(others, 0);
}

}  // namespace
}  // namespace fuser::fuzz
