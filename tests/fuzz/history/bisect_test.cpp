// bisect() on scratch repositories whose builds are stand-ins.

#include "fuzz/history/bisect.h"

#include "fuser/support/check.h"
#include "fuzz/history/judged_commit.h"
#include "tests/fuzz/history/scratch/scratch_history.h"

namespace fuser::fuzz {
namespace {

class BisectTest : public testing::Test {
 protected:
  reports::Bisection find(const std::string& good, const std::string& bad, size_t jobs = 1) {
    BisectOptions options;
    options.repository = history_.repository();
    options.good = good;
    options.bad = bad;
    options.file = history_.file();
    options.jobs = jobs;
    options.build = ScratchHistory::build();
    options.keep = keep_;
    said_.clear();
    return bisect(
        options, [this] { return interrupted_; }, [this](const std::string& line) { said_.push_back(line); });
  }

  std::string errorOf(const std::string& good, const std::string& bad) {
    try {
      find(good, bad);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  std::string gitSays(const std::vector<std::string>& arguments) { return gitOutput(history_.repository(), arguments); }

  ScratchHistory history_;
  std::filesystem::path keep_;
  bool interrupted_ = false;
  std::vector<std::string> said_;
};

TEST_F(BisectTest, FindsTheFirstBadCommitWhereverItIs) {
  constexpr size_t kCommits = 6;
  for (size_t first = 1; first < kCommits; ++first) {
    std::vector<std::string> kinds(first, "good");
    kinds.resize(kCommits, "bad");
    const std::vector<std::string> commits = history_.commit(kinds);
    for (const size_t jobs : {1, 3}) {
      const reports::Bisection found = find(commits.front(), commits.back(), jobs);
      ASSERT_EQ(found.firstBad.size(), 1u);
      EXPECT_EQ(found.firstBad[0].commit, commits[first]) << first << " with jobs " << jobs;
      EXPECT_TRUE(found.skipped.empty());
      EXPECT_EQ(found.verdict, "differs");
    }
  }
}

// With several jobs those that may come next are built beside the one that git names.
TEST_F(BisectTest, SeveralJobsBuildWhatMayComeNext) {
  std::vector<std::string> kinds(8, "good");
  kinds.resize(16, "bad");
  const std::vector<std::string> commits = history_.commit(kinds);
  const int64_t alone = find(commits.front(), commits.back(), 1).tested;
  EXPECT_EQ(alone, 2 + 4);
  EXPECT_EQ(said_.size(), static_cast<size_t>(alone) + 1);
  EXPECT_GT(find(commits.front(), commits.back(), 3).tested, alone);
}

TEST_F(BisectTest, ACommitThatCannotBeJudgedIsSkipped) {
  for (const std::string kind : {"unbuildable", "unread", "other", "lazy"}) {
    const std::vector<std::string> commits = history_.commit({"good", "good", kind, "good", "bad", "bad"});
    const reports::Bisection found = find(commits[0], commits[5]);
    ASSERT_EQ(found.firstBad.size(), 1u) << kind;
    EXPECT_EQ(found.firstBad[0].commit, commits[4]) << kind;
    ASSERT_EQ(found.skipped.size(), 1u) << kind;
    EXPECT_EQ(found.skipped[0].commit, commits[2]) << kind;
    const std::string why = kind == "unbuildable" ? "does not build: error: no such member"
                            : kind == "unread"    ? "replay ends with exit code 1: NO CASE   format 9 is not known"
                            : kind == "other"     ? "the case fails otherwise there: rejected"
                                                  : "its build leaves no build/release/bin/fuserfuzz";
    EXPECT_EQ(found.skipped[0].why, why);
  }
}

TEST_F(BisectTest, SkippedCommitsBesideTheAnswerMakeItARange) {
  const std::vector<std::string> commits =
      history_.commit({"good", "good", "good", "unbuildable", "lazy", "bad", "bad", "bad"});
  const reports::Bisection found = find(commits.front(), commits.back());
  std::vector<std::string> range;
  for (const reports::BisectedCommit& commit : found.firstBad) range.push_back(commit.commit);
  EXPECT_EQ(range, (std::vector<std::string>{commits[3], commits[4], commits[5]}));
  EXPECT_EQ(linesOf(found)[0], "the first bad commit is one of 3: all of them but the last could not be judged");
  EXPECT_EQ(linesOf(found).size(), 1u + 3u + 2u);
}

TEST_F(BisectTest, TheEndsAreTriedFirst) {
  const std::vector<std::string> commits = history_.commit({"good", "bad", "good", "unbuildable"});
  EXPECT_EQ(errorOf(commits[0], commits[2]), commits[2] + " is not bad: the case does not fail there");
  history_.commit({"bad"});
  EXPECT_EQ(errorOf(commits[1], "HEAD"),
            commits[1] + " is not good: the case fails there, too (differs); name an earlier commit with --good");
  EXPECT_EQ(errorOf(commits[0], commits[3]),
            commits[3] + " is not bad: the case cannot be judged there: does not build: error: no such member");
  EXPECT_EQ(errorOf("HEAD~1", "HEAD"),
            "HEAD~1 is not good: the case cannot be judged there: does not build: error: no such member");
}

TEST_F(BisectTest, AnErrorSaysWhatToName) {
  const std::vector<std::string> commits = history_.commit({"good", "bad"});
  const std::string where = history_.repository().string();
  EXPECT_EQ(errorOf("v9", commits[1]), "there is no commit v9 in " + where);
  EXPECT_EQ(errorOf("HEAD", commits[1]), "HEAD and " + commits[1] + " are one commit");
  EXPECT_EQ(errorOf(commits[1], commits[0]),
            commits[1] + " is no ancestor of " + commits[0] + ": name an earlier commit with --good");
  EXPECT_EQ(errorOf("--help", commits[1]), "there is no commit --help in " + where);
}

TEST_F(BisectTest, TheRepositoryStaysAsItIs) {
  const std::vector<std::string> commits = history_.commit({"good", "good", "bad", "bad"});
  std::ofstream(history_.repository() / "kind") << "changed by its user\n";
  const auto state = [&] {
    return gitSays({"rev-parse", "HEAD"}) + gitSays({"status", "--porcelain"}) + gitSays({"worktree", "list"}) +
           gitSays({"for-each-ref"});
  };
  const std::string before = state();
  find(commits[0], commits[3], 2);
  EXPECT_EQ(state(), before);
  EXPECT_NE(errorOf(commits[0], commits[1]), "");
  EXPECT_EQ(state(), before);
}

TEST_F(BisectTest, AKeptFolderIsUsedAgainAndAnotherOneIsNotTouched) {
  keep_ = history_.folder() / "kept";
  const std::vector<std::string> commits = history_.commit({"good", "good", "bad"});
  EXPECT_EQ(find(commits[0], commits[2]).firstBad[0].commit, commits[2]);
  const std::filesystem::path mark = keep_ / "tree-0/build/mark";
  std::ofstream(mark) << "kept";
  EXPECT_EQ(find(commits[0], commits[2]).firstBad[0].commit, commits[2]);
  EXPECT_TRUE(std::filesystem::exists(mark));
  keep_ = history_.folder() / "other";
  std::filesystem::create_directories(keep_ / "control/mine");
  EXPECT_EQ(errorOf(commits[0], commits[2]), (keep_ / "control").string() + " is there, and is no worktree of " +
                                                 history_.repository().string() + "; name another folder with --keep");
  EXPECT_TRUE(std::filesystem::exists(keep_ / "control/mine"));
}

TEST_F(BisectTest, AnInterruptEndsIt) {
  const std::vector<std::string> commits = history_.commit({"good", "bad"});
  interrupted_ = true;
  EXPECT_THROW(find(commits[0], commits[1]), BisectInterrupted);
  EXPECT_EQ(gitSays({"worktree", "list"}).find('\n'), std::string::npos);
}

TEST(JudgedByReplayTest, FindingsOfEveryKindAreBad) {
  const std::string output = "FAILED         0.004 s  case.fusion  (with probes)\n    crash: signal 11\n    more\n";
  for (const int code : {70, 71, 77}) {
    EXPECT_EQ(judgedByReplay(code, output).state, CommitState::Bad) << code;
    EXPECT_EQ(judgedByReplay(code, output).verdict, "crash");
  }
  EXPECT_EQ(judgedByReplay(77, "words of a later version\n").verdict, "");
  EXPECT_EQ(judgedByReplay(0, "").state, CommitState::Good);
  for (const int code : {1, 72, 127, 139}) EXPECT_EQ(judgedByReplay(code, "").state, CommitState::Skipped) << code;
}

}  // namespace
}  // namespace fuser::fuzz
