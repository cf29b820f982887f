// The costs of kernels that a campaign counts: of which cases, and that they depend on these alone.

#include <gtest/gtest.h>

#include "fuzz/campaign/accounting.h"
#include "fuzz/campaign/perform_task.h"

namespace fuser::fuzz {
namespace {

TaskSettings smallCases() {
  TaskSettings settings;
  settings.generator.medianElements = 64;
  settings.seed = 3;
  return settings;
}

TEST(CostsTest, OneCaseIn50IsCounted) {
  for (uint64_t number : {0, 1, 49, 50, 51, 100}) {
    const TaskResult result = performTask(CaseTask{number}, smallCases());
    ASSERT_FALSE(isFinding(result.verdict.kind)) << number;
    EXPECT_EQ(result.costs.cases, number % kCostOneIn == 0 ? 1 : 0) << number;
    EXPECT_EQ(result.costs.schedulers.empty(), number % kCostOneIn != 0) << number;
  }
}

TEST(CostsTest, ACaseCostsTheSameEachTime) {
  const reports::Costs costs = performTask(CaseTask{50}, smallCases()).costs;
  EXPECT_GT(costs.ownSectors, 0);
  for (const auto& [scheduler, each] : costs.schedulers) {
    EXPECT_NE(scheduler, "None");
    EXPECT_EQ(each.cases, 1);
    EXPECT_GE(each.requestedSectors, each.perBlockSectors);
    EXPECT_GE(each.perBlockSectors, each.compulsorySectors);
    EXPECT_GT(each.compulsorySectors, 0);
  }
  EXPECT_EQ(performTask(CaseTask{50}, smallCases()).costs, costs);
}

TEST(CostsTest, FilesAndViewsAreNotCounted) {
  EXPECT_EQ(performTask(PlainTask{50}, smallCases()).costs, reports::Costs{});
  EXPECT_EQ(performTask(FileTask{"corpus/seeds/softmax.fusion"}, smallCases()).costs, reports::Costs{});
}

TEST(CostsTest, AnAccountingAddsThem) {
  Accounting accounting;
  TaskResult result;
  result.costs = {1, 10, {{"PointWise", {1, 2, 3, 4, 5, 6, 7, 8}}}};
  accounting.add("case 0", result, 0);
  accounting.add("case 50", result, 0);
  accounting.add("case 51", {}, 0);
  const reports::Costs sum{2, 20, {{"PointWise", {2, 4, 6, 8, 10, 12, 14, 16}}}};
  EXPECT_EQ(accounting.sums().costs, sum);
}

// A case counts once for each feature, in whatever segments and views it has it; segments are added up.
TEST(KernelFeatureCountsTest, AnAccountingAddsCasesAndSegments) {
  Accounting accounting;
  TaskResult result;
  result.verdict.features["grid barrier"] = {{2, 1}, {5, 3}};
  accounting.add("case 0", result, 0);
  accounting.add("case 1", result, 0);
  accounting.add("case 2", {}, 0);
  const reports::KernelFeature sum{2, {{2, 2}, {5, 6}}, {{5, 2}}};
  EXPECT_EQ(accounting.sums().features.at("grid barrier"), sum);
  EXPECT_EQ(accounting.sums().features.at("workspace"), reports::KernelFeature{});
  EXPECT_EQ(accounting.sums().features.size(), allKernelFeatures().size());
  EXPECT_EQ(Accounting::fromJson(accounting.toJson()).sums(), accounting.sums());
}

TEST(KernelFeatureCountsTest, ViewsOfACaseAreCountedWithIt) {
  constexpr uint64_t kMost = 400;
  for (uint64_t number = 0; number < kMost; ++number) {
    const TaskResult plain = performTask(PlainTask{number}, smallCases());
    if (plain.verdict.features.count("random schedule") != 0) continue;
    const TaskResult seen = performTask(CaseTask{number}, smallCases());
    if (seen.views.count("random schedule") == 0) continue;
    EXPECT_EQ(seen.verdict.features.count("random schedule"), 1u);
    return;
  }
  FAIL() << "no case was judged on a random schedule";
}

}  // namespace
}  // namespace fuser::fuzz
