// With which settings a task is judged.

#include "fuzz/campaign/perform_task.h"

#include <array>
#include <set>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/judge/compiler_batch.h"
#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

class PerformTaskTest : public CampaignFolder {};

// Keeps the settings that it gets.
class Keeper final : public TargetJudge {
 public:
  std::string_view name() const override { return "keeper"; }
  std::vector<CaseVerdict> judge(std::span<const Case* const> cases, const JudgeSettings& settings) override {
    allInvariants = settings.allInvariants;
    return std::vector<CaseVerdict>(cases.size());
  }
  bool allInvariants = false;
};

TEST_F(PerformTaskTest, AFileIsHeldAgainstAllInvariantsUnlessTheyAreSampled) {
  const auto keeper = std::make_shared<Keeper>();
  const JudgingTask ofFile = FileTask{file("right.fusion", kRight).string()};
  TaskSettings settings;
  settings.judge.target = keeper;
  performTask(ofFile, settings);
  EXPECT_TRUE(keeper->allInvariants);
  settings.allInvariantsOfFiles = false;
  performTask(ofFile, settings);
  EXPECT_FALSE(keeper->allInvariants);
  settings.allInvariantsOfFiles = true;
  performTask(CaseTask{0}, settings);
  EXPECT_FALSE(keeper->allInvariants);
}

// The minimiser looks for the same bucket.
TEST(BucketTaskTest, OfARejectedCaseTheStageIsAskedFor) {
  const std::string text = R"(
fusion f(%x: f32[i0], %i: i64[i1]) {
  %y = gather(%x, %i) {dim = 0}
  return %y
}
run { %x = normal(seed = 1) : f32[4]   %i = integers(seed = 1, low = 4, high = 5) : i64[3] }
)";
  const std::string bucket = performTask(BucketTask{text, true}, {}).bucket;
  EXPECT_EQ(bucket.rfind("invariant | kernel | - | a valid case is rejected", 0), 0u) << bucket;
  EXPECT_EQ(performTask(BucketTask{text, false}, {}).bucket, "");
}

// Else what NVRTC does wrong for one GPU alone would not show again.
TEST(BatchTaskTest, AFindingOfAPtxBatchRunsAgainForTheGpuThatItWasCompiledFor) {
  std::set<size_t> architectures;
  for (uint64_t batch = 0; batch < std::size(kPtxArchitectures); ++batch) {
    const BatchTask whole{batch * kBatchStride, kBatch}, part{batch * kBatchStride + 3, 1};
    architectures.insert(ptxArchitectureOf(whole));
    EXPECT_EQ(ptxArchitectureOf(part), ptxArchitectureOf(whole));
  }
  EXPECT_EQ(architectures.size(), std::size(kPtxArchitectures));
  Case testCase = parseCase("fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\n", "test");
  CaseVerdict verdict;
  verdict.engine = "ptx";
  setEngineOfFinding(testCase.options, verdict, 2);
  EXPECT_NE(printCase(testCase).find("option engine = \"ptx\"\noption ptx_architecture = \"100\"\n"), std::string::npos)
      << printCase(testCase);
  verdict.engine = "cpu";
  setEngineOfFinding(testCase.options, verdict, 2);
  EXPECT_NE(printCase(testCase).find("option engine = \"cpu\"\n"), std::string::npos);
  EXPECT_EQ(printCase(testCase).find("ptx_architecture"), std::string::npos);
}

TEST(BatchTaskTest, SomeCasesAreContractedAndOthersOnRandomSchedules) {
  std::array<size_t, 4> contracted{}, scheduled{};
  for (uint64_t number = 0; number < 256; ++number) {
    const Case testCase = caseOfBatch(number, {});
    contracted[number % 4] += testCase.options.contraction;
    scheduled[number % 4] += testCase.schedule || !testCase.segmentSchedules.empty();
  }
  EXPECT_GE(contracted[1], 8u);
  EXPECT_EQ(contracted[0] + contracted[2] + contracted[3], 0u);
  EXPECT_GE(scheduled[3], 32u);
  EXPECT_EQ(scheduled[0] + scheduled[1] + scheduled[2], 0u);
}

}  // namespace
}  // namespace fuser::fuzz
