// Findings move between folders by what they do.

#include "fuzz/campaign/triage.h"

#include "tests/fuser/analysis/stage_observers.h"
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

TEST_F(TriageTest, ACaseThatNeverFailedIsNotMoved) {
  file("a.fusion", kRight);
  const Triaged entry = only();
  EXPECT_EQ(entry.to, Stage::Fresh);
  EXPECT_EQ(readTextFile((folder_ / "a.fusion").string()), kRight);
  // What a campaign has named has.
  std::filesystem::rename(folder_ / "a.fusion", folder_ / ("mismatch-" + std::string(40, 'a') + ".fusion"));
  EXPECT_EQ(only().to, Stage::Incubating);
}

TEST_F(TriageTest, ADryRunMovesNothing) {
  file("a.fusion", kWrong);
  const std::vector<Triaged> all = triage(folder_, {}, true);
  EXPECT_EQ(all.at(0).to, Stage::Crashing);
  EXPECT_EQ(readTextFile((folder_ / "a.fusion").string()), kWrong);
  EXPECT_FALSE(isIn("crashing"));
}

TEST_F(TriageTest, ACircleOfLinksIsLeftAlone) {
  file("a.fusion", kWrong);
  std::filesystem::create_symlink("loop.fusion", folder_ / "loop.fusion");
  std::filesystem::create_symlink(".", folder_ / "circle.fusion");
  EXPECT_EQ(only().name, "a.fusion");
}

TEST_F(TriageTest, AFailureRestartsTheCount) {
  file("a.fusion", std::string("#: finding = differs\n") + kRight);
  only();
  only();
  file("incubating/a.fusion", std::string("#: clean_replays = 2\n") + kWrong);
  EXPECT_EQ(only().to, Stage::Crashing);
  file("crashing/a.fusion", kRight);
  EXPECT_EQ(only().cleanReplays, 1);
  EXPECT_TRUE(isIn("incubating"));
}

// Two findings of one name: neither is lost.
TEST_F(TriageTest, NoFileIsOverwritten) {
  std::filesystem::create_directories(folder_ / "crashing");
  const std::string other = std::string("#: other = 1") + kWrong;
  file("a.fusion", kWrong);
  file("crashing/a.fusion", other);
  const std::vector<Triaged> all = triage(folder_, {});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "a.fusion");
  EXPECT_EQ(all[0].movedTo, "a-2.fusion");
  EXPECT_EQ(readTextFile((folder_ / "crashing" / "a.fusion").string()), other);
  EXPECT_EQ(readTextFile((folder_ / "crashing" / "a-2.fusion").string()), kWrong);
  // The same one again is no other.
  file("a.fusion", kWrong);
  EXPECT_EQ(triage(folder_, {}).at(0).movedTo, "a-2.fusion");
  EXPECT_EQ(triage(folder_, {}).size(), 2u);
  EXPECT_FALSE(isIn(""));
}

// What fails only after other cases is replayed after them, and moves with them.
TEST_F(TriageTest, ASequenceIsReplayedAndMoves) {
  const auto sawExp = std::make_shared<bool>(false);  // after a fork, in each process its own
  ReplayOptions options;
  AfterPasses failing([sawExp](Fusion& fusion) {
    const auto has = [&](OpKind op) {
      for (const Expr* expr : fusion.exprs()) {
        if (expr->op() == op) return true;
      }
      return false;
    };
    FUSER_CHECK(!(*sawExp && has(OpKind::Neg)), "planted");
    *sawExp = *sawExp || has(OpKind::Exp);
  });
  options.judge.observers = {&failing};
  const std::string fails =
      "fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\n"
      "run { %x = normal(seed = 1) : f32[4] }\n";
  file("a.fusion", fails);
  file("a.sequence", concat(kSequenceMark, "\n", kRight, kSequenceMark, "\n", fails));
  file("a.py", "the program of the case");
  const std::vector<Triaged> all = triage(folder_, options);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].fails) << all[0].verdict;
  EXPECT_TRUE(isIn("crashing"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "crashing" / "a.sequence"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "crashing" / "a.py"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.py"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.sequence"));
  EXPECT_EQ(triage(folder_, {}).at(0).to, Stage::Incubating);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "incubating" / "a.sequence"));
}

TEST_F(TriageTest, EveryTransitionIsAsDocumented) {
  EXPECT_EQ(nextStage(Stage::Fresh, true, 0), Stage::Crashing);
  EXPECT_EQ(nextStage(Stage::Fresh, false, 1), Stage::Incubating);
  EXPECT_EQ(nextStage(Stage::Incubating, false, kCleanReplays - 1), Stage::Incubating);
  EXPECT_EQ(nextStage(Stage::Incubating, false, kCleanReplays), Stage::Regression);
  EXPECT_EQ(nextStage(Stage::Regression, true, 0), Stage::Crashing);
}

TEST_F(TriageTest, AFolderOfACleanCampaignHasNothingToTriage) {
  EXPECT_TRUE(triage(folder_, {}).empty());
  EXPECT_THROW(triage(folder_ / "nowhere", {}), UserError);
}

}  // namespace
}  // namespace fuser::fuzz
