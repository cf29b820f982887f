// Findings move between folders by what they do.

#include "fuzz/campaign/triage.h"

#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

class TriageTest : public CampaignFolder {
 protected:
  Triaged only() {
    const std::vector<Triaged> all = triage(folder_, {});
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
  }
  bool isIn(const std::string& folder) { return std::filesystem::exists(folder_ / folder / "a.fusion"); }
};

TEST_F(TriageTest, AFindingThatIsFixedIncubatesAndBecomesARegression) {
  file("a.fusion", kWrong);
  EXPECT_TRUE(only().fails);
  EXPECT_TRUE(isIn("crashing"));
  EXPECT_FALSE(isIn(""));
  EXPECT_TRUE(only().fails);
  EXPECT_TRUE(isIn("crashing"));

  file("crashing/a.fusion", kRight);
  for (int clean = 1; clean < kCleanReplays; ++clean) {
    const Triaged entry = only();
    EXPECT_FALSE(entry.fails) << entry.verdict;
    EXPECT_EQ(entry.cleanReplays, clean);
    EXPECT_TRUE(isIn("incubating"));
  }
  EXPECT_EQ(only().to, Stage::Regression);
  EXPECT_TRUE(isIn("regression"));
  EXPECT_FALSE(isIn("incubating"));
  EXPECT_EQ(readTextFile((folder_ / "regression" / "a.fusion").string()), kRight);

  file("regression/a.fusion", kWrong);
  EXPECT_EQ(only().to, Stage::Crashing);
}

TEST_F(TriageTest, AFailureStartsTheCountAgain) {
  file("a.fusion", kRight);
  only();
  only();
  file("incubating/a.fusion", std::string("#: clean_replays = 2\n") + kWrong);
  EXPECT_EQ(only().to, Stage::Crashing);
  file("crashing/a.fusion", kRight);
  EXPECT_EQ(only().cleanReplays, 1);
  EXPECT_TRUE(isIn("incubating"));
}

TEST_F(TriageTest, EveryStepIsNamed) {
  EXPECT_EQ(nextStage(Stage::Fresh, true, 0), Stage::Crashing);
  EXPECT_EQ(nextStage(Stage::Fresh, false, 1), Stage::Incubating);
  EXPECT_EQ(nextStage(Stage::Incubating, false, kCleanReplays - 1), Stage::Incubating);
  EXPECT_EQ(nextStage(Stage::Incubating, false, kCleanReplays), Stage::Regression);
  EXPECT_EQ(nextStage(Stage::Regression, true, 0), Stage::Crashing);
}

TEST_F(TriageTest, AFolderWithoutCasesIsNamed) {
  EXPECT_THROW(triage(folder_, {}), UserError);
  EXPECT_THROW(triage(folder_ / "nowhere", {}), UserError);
}

}  // namespace
}  // namespace fuser::fuzz
