// fuserfuzz bisect as a person starts it: lines, the file of its result, exit codes.

#include <fstream>
#include <sstream>

#include "reports/bisection.h"
#include "tests/fuzz/cli/program.h"
#include "tests/fuzz/history/scratch/scratch_history.h"

namespace {

using fuser::fuzz::ScratchHistory;

std::string arguments(const ScratchHistory& history, const std::string& good, const std::string& bad) {
  const std::filesystem::path script = history.folder() / "build.sh";
  std::ofstream(script) << ScratchHistory::build();
  return "bisect -C " + history.repository().string() + " --good " + good + " --bad " + bad + " --build 'sh " +
         script.string() + "' " + history.file().string();
}

TEST(BisectCommandTest, NamesTheCommitAndWritesIt) {
  ScratchHistory history;
  const std::vector<std::string> commits = history.commit({"good", "good", "unbuildable", "good", "bad", "bad"});
  const std::filesystem::path out = history.folder() / "case.bisect.json";
  const Outcome outcome = fuserfuzz(arguments(history, "HEAD~5", "HEAD") + " --jobs 1 --out " + out.string());
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("\nbad  " + commits[5].substr(0, 12) + " 5: bad\n"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("\nfirst bad commit: " + commits[4].substr(0, 12) + " 4: bad\n"), std::string::npos)
      << outcome.text;
  std::ostringstream text;
  text << std::ifstream(out).rdbuf();
  const reports::Bisection read = reports::bisectionFromJson(text.str());
  EXPECT_EQ(read.firstBad.at(0).commit, commits[4]);
  EXPECT_EQ(read.good.commit, commits[0]);
  EXPECT_EQ(read.skipped.size(), 1u);
  EXPECT_EQ(read.file, "case.fusion");
}

TEST(BisectCommandTest, ErrorsAreOneSentence) {
  ScratchHistory history;
  history.commit({"good", "good"});
  const auto last = [](const Outcome& outcome) { return outcome.text.substr(outcome.text.rfind("SETUP")); };
  const Outcome agrees = fuserfuzz(arguments(history, "HEAD~1", "HEAD"));
  EXPECT_EQ(agrees.exitCode, 1);
  EXPECT_EQ(last(agrees), "SETUP FAILURE: HEAD is not bad: the case does not fail there\n");
  const Outcome nowhere = fuserfuzz(arguments(history, "HEAD~1", "HEAD") + " --out /nowhere/x.json");
  EXPECT_EQ(nowhere.exitCode, 1);
  EXPECT_EQ(nowhere.text, "SETUP FAILURE: cannot write /nowhere/x.json: there is no folder /nowhere\n");
}

}  // namespace
