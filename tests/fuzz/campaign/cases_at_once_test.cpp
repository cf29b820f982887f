// Cases that another compiler judges at once: each has its own result, whatever ends their process.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/perform_task.h"
#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

class CasesAtOnceTest : public CampaignFolder {};

constexpr size_t kLong = 6;  // expressions

// Every case agrees, with a reason that tells cases apart. A block that has a long one is not judged.
class StandIn final : public TargetJudge {
 public:
  enum class Otherwise : uint8_t { Judges, Throws, Dies };
  explicit StandIn(Otherwise otherwise) : otherwise_(otherwise) {}

  std::string_view name() const override { return "stand-in"; }
  std::vector<CaseVerdict> judge(std::span<const Case* const> cases, const JudgeSettings&) override {
    std::vector<CaseVerdict> verdicts(cases.size());
    for (size_t i = 0; i < cases.size(); ++i) {
      const size_t exprs = cases[i]->fusion->exprs().size();
      verdicts[i].reason = concat(exprs, " of ", cases[i]->fusion->inputs().size());
      if (cases.size() == 1 || exprs < kLong) continue;
      if (otherwise_ == Otherwise::Throws) throw std::runtime_error("a block");
      if (otherwise_ == Otherwise::Dies) _exit(3);
    }
    return verdicts;
  }

 private:
  Otherwise otherwise_;
};

TaskSettings settingsWith(StandIn::Otherwise otherwise) {
  TaskSettings settings;
  settings.generator.medianElements = 16;
  settings.judge.target = std::make_shared<StandIn>(otherwise);
  return settings;
}

std::vector<std::string> reasonsOf(const std::vector<TaskResult>& results) {
  std::vector<std::string> reasons;
  for (const TaskResult& result : results) reasons.push_back(result.verdict.reason);
  return reasons;
}

TEST_F(CasesAtOnceTest, EachHasTheResultThatItHasAlone) {
  for (const StandIn::Otherwise otherwise : {StandIn::Otherwise::Judges, StandIn::Otherwise::Throws}) {
    const TaskSettings settings = settingsWith(otherwise);
    std::vector<TaskResult> alone;
    size_t longest = 0;
    for (uint64_t number = 8; number < 16; ++number) {
      alone.push_back(performTask(CaseTask{number}, settings));
      longest = std::max<size_t>(longest, std::stoul(alone.back().verdict.reason));
    }
    ASSERT_GE(longest, kLong) << "no block has a long one";
    const std::vector<TaskResult> atOnce = performCases({8, 8}, settings);
    ASSERT_EQ(atOnce.size(), alone.size());
    EXPECT_EQ(reasonsOf(atOnce), reasonsOf(alone));
    for (size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(atOnce[i].ops, alone[i].ops);
  }
}

// The sum of a campaign's figures depends neither on blocks nor on what ends their process.
TEST_F(CasesAtOnceTest, ABlockWhoseProcessDiesIsJudgedOneByOne) {
  std::map<uint64_t, std::map<std::string, int64_t>> verdicts;
  for (const uint64_t atOnce : {1, 8}) {
    CampaignOptions campaign = options(20);
    campaign.compilers = campaign.minimize = false;
    campaign.out.clear();
    campaign.task = settingsWith(StandIn::Otherwise::Dies);
    campaign.casesAtOnce = atOnce;
    const reports::CampaignSummary summary = runCampaign(campaign, kNever, kSilent);
    EXPECT_EQ(summary.cases, 20);
    EXPECT_TRUE(summary.findings.empty());
    verdicts[atOnce] = summary.verdicts;
  }
  EXPECT_EQ(verdicts[1], verdicts[8]);
}

}  // namespace
}  // namespace fuser::fuzz
