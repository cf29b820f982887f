// kill -9 of workers and of the supervisor at random moments: nothing finished is lost, nothing is counted twice. The
// moments are drawn from fixed seeds; which instruction they hit is up to the machine.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "campaign_folder.h"

namespace fuser::fuzz {
namespace {

std::vector<pid_t> childrenOf(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  std::vector<pid_t> children;
  for (pid_t child; in >> child;) children.push_back(child);
  return children;
}

class KillTest : public CampaignFolder, public testing::WithParamInterface<int> {
 protected:
  CampaignOptions campaign(const std::string& out) {
    CampaignOptions made = options(kCases);
    made.seed = static_cast<uint64_t>(GetParam());
    made.corpora = {folder_ / "corpus"};
    made.out = folder_ / out;
    made.resume = true;
    made.program = "fuserfuzz";
    return made;
  }

  // The campaign in a process of its own, which is returned.
  static pid_t start(const CampaignOptions& made) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    try {
      _exit(exitCode(runCampaign(made, kNever, kSilent)));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(kExitSetup);
    }
  }

  static constexpr uint64_t kCases = 250;
};

TEST_P(KillTest, AResumedCampaignEndsAsAnUninterruptedOne) {
  std::filesystem::create_directories(folder_ / "corpus");
  for (int i = 0; i < 3; ++i) file("corpus/wrong" + std::to_string(i) + ".fusion", "# " + std::to_string(i) + kWrong);
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const CampaignOptions killed = campaign("killed");
  constexpr int kKills = 10;
  int supervisors = 0, workers = 0;
  pid_t pid = start(killed);
  int status = 0;
  bool ended = false;
  for (int kill = 0; kill < kKills && !ended; ++kill) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + random() % 150));
    ended = waitpid(pid, &status, WNOHANG) == pid;
    if (ended) break;
    const std::vector<pid_t> children = childrenOf(pid);
    if (kill % 2 == 0 && !children.empty()) {
      ::kill(children[random() % children.size()], SIGKILL);
      ++workers;
      continue;
    }
    ::kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    ++supervisors;
    pid = start(killed);
  }
  if (!ended) waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kExitFinding);
  EXPECT_GE(supervisors, 2);
  EXPECT_GE(workers, 2);

  const reports::CampaignSummary whole = runCampaign(campaign("whole"), kNever, kSilent);
  const reports::CampaignSummary resumed = summaryOf(folder_ / "killed");
  EXPECT_EQ(whole.cases, static_cast<int64_t>(kCases) + 3);
  EXPECT_EQ(whole.findings.size(), 3u);
  EXPECT_EQ(withoutTime(resumed), withoutTime(whole));
  for (const reports::Finding& finding : resumed.findings) {
    EXPECT_EQ(finding.reproduces, "fails fresh");
    EXPECT_TRUE(std::filesystem::exists(folder_ / "killed" / finding.file)) << finding.file;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, KillTest, testing::Range(1, 6));

}  // namespace
}  // namespace fuser::fuzz
