// What is written beside the caller's memory for outputs is a finding, whichever engine writes it.

#include "fuzz/judge/caller_memory.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "fuzz/judge/compare_engines.h"
#include "fuzz/judge/compiler_batch.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kCase = R"(
fusion f(%x: f32[i0]) {
  %y = neg(%x)
  return %y
}
preallocate %y {offset = 1}
run { %x = uniform(seed = 1) : f32[5] }
run { %x = uniform(seed = 2) : f32[5] }
)";

constexpr const char* kProblem = "a run wrote beside the memory given for output %y";

// Behind the last element of what the kernel writes, or, of a row with gaps, into one: all tensors here are rows of
// five.
void writeBehind(const Kernel& kernel, const KernelArguments& arguments) {
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    const TensorRef& tensor = arguments.tensors[i];
    if (!kernel.tensors[i].written) continue;
    static_cast<std::byte*>(tensor.data)[static_cast<size_t>(numel(tensor.sizes)) * dtypeSize(tensor.dtype)] ^=
        std::byte{1};
  }
}

// Interprets, and at the launch with that number writes one byte too many.
class SloppyEngine : public Engine {
 public:
  explicit SloppyEngine(int when) : when_(when) {}
  std::string name() const override { return "sloppy"; }
  std::vector<std::unique_ptr<CompiledKernel>> compile(std::span<const Kernel* const> kernels) override {
    std::vector<std::unique_ptr<CompiledKernel>> compiled = interp_->compile(kernels);
    for (size_t i = 0; i < kernels.size(); ++i) {
      compiled[i] = std::make_unique<SloppyKernel>(std::move(compiled[i]), *kernels[i], when_, launches_);
    }
    return compiled;
  }

 private:
  class SloppyKernel : public CompiledKernel {
   public:
    SloppyKernel(std::unique_ptr<CompiledKernel> right, const Kernel& kernel, int when, std::shared_ptr<int> launches)
        : right_(std::move(right)), kernel_(kernel), when_(when), launches_(std::move(launches)) {}
    void launch(const KernelArguments& arguments) override {
      right_->launch(arguments);
      if ((*launches_)++ == when_) writeBehind(kernel_, arguments);
    }

   private:
    std::unique_ptr<CompiledKernel> right_;
    const Kernel& kernel_;
    const int when_;
    const std::shared_ptr<int> launches_;
  };

  const int when_;
  const std::shared_ptr<int> launches_ = std::make_shared<int>(0);
  std::unique_ptr<Engine> interp_ = makeEngine(EngineKind::Interp);
};

constexpr int kNever = -1, kSecond = 1;

TEST(CallerMemoryTest, AnEngineThatWritesBesideCallerMemoryIsFoundWhenEnginesAreCompared) {
  const Case testCase = parseCase(kCase, "case");
  SloppyEngine careful(kNever), sloppy(kSecond);
  EXPECT_EQ(compareEngines({&testCase}, careful).at(0).verdict.kind, VerdictKind::Agrees);
  const CaseVerdict verdict = compareEngines({&testCase}, sloppy).at(0).verdict;
  EXPECT_EQ(verdict.kind, VerdictKind::Invariant);
  EXPECT_EQ(verdict.reason, kProblem);
  EXPECT_EQ(verdict.run, 1);
}

TEST(CallerMemoryTest, AnEngineThatWritesBesideCallerMemoryIsFoundInABatch) {
  const Case testCase = parseCase(kCase, "case");
  const auto batch = [&](int when) {
    return runCompilerBatch({&testCase}, {}, [=] { return std::make_unique<SloppyEngine>(when); });
  };
  EXPECT_TRUE(batch(kNever).findings.empty());
  const BatchResult result = batch(kSecond);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].verdict.kind, VerdictKind::Invariant);
  EXPECT_EQ(result.findings[0].verdict.reason, concat("on the sloppy engine: ", kProblem));
  EXPECT_EQ(result.findings[0].verdict.run, 1);
}

// What is said of the case when the launch with that number has written one byte beside its tensors.
CaseVerdict judgedWithAWriteBehind(const std::string& text, int when) {
  JudgeSettings settings;
  int launches = 0;
  BeforeLaunch writing([&](const Kernel& kernel, KernelArguments& arguments) {
    if (launches++ == when) writeBehind(kernel, arguments);
  });
  settings.observers = {&writing};
  return judgeCase(parseCase(text, "case"), settings);
}

// In its first run, and in the one that repeats it.
TEST(CallerMemoryTest, ARunThatWritesBesideCallerMemoryIsFoundWhenACaseIsJudged) {
  for (const int when : {kNever, 0, kSecond}) {
    const CaseVerdict verdict = judgedWithAWriteBehind(kCase, when);
    EXPECT_EQ(verdict.kind, when == kNever ? VerdictKind::Agrees : VerdictKind::Invariant) << verdict.detail;
    EXPECT_EQ(verdict.reason, when == kNever ? "" : kProblem);
  }
}

TEST(CallerMemoryTest, ARunThatWritesBetweenTheElementsOfAnInputIsFoundWhereOutputsOverwriteInputs) {
  constexpr const char* kAliased = R"(
fusion f(%x: f32[i0] {contiguity = [false]}) {
  %y = neg(%x)
  return %y
}
alias %y -> %x
run { %x = uniform(seed = 1) : f32[5] {strides = [2]} }
)";
  for (const int when : {kNever, 0}) {
    const CaseVerdict verdict = judgedWithAWriteBehind(kAliased, when);
    EXPECT_EQ(verdict.kind, when == kNever ? VerdictKind::Agrees : VerdictKind::Invariant) << verdict.detail;
    EXPECT_EQ(verdict.reason,
              when == kNever ? "" : "a run wrote between the elements of an input, of which outputs overwrite some");
  }
}

}  // namespace
}  // namespace fuser::fuzz
