// With which settings a task is judged.

#include "fuzz/campaign/perform_task.h"

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

}  // namespace
}  // namespace fuser::fuzz
