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

#include "tests/fuser/analysis/stage_observers.h"
#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

std::vector<pid_t> childrenOf(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  std::vector<pid_t> children;
  for (pid_t child; in >> child;) children.push_back(child);
  return children;
}

class DurabilityTest : public CampaignFolder {
 protected:
  CampaignOptions campaign(const std::string& out, uint64_t runs, uint64_t seed) {
    CampaignOptions campaignOptions = options(runs);
    campaignOptions.seed = seed;
    campaignOptions.corpora = {folder_ / "corpus"};
    campaignOptions.out = folder_ / out;
    campaignOptions.resume =
        std::filesystem::exists(campaignOptions.out / "lock");  // a start before this one came so far
    return campaignOptions;
  }

  // The campaign in a process of its own, which is returned.
  static pid_t start(const CampaignOptions& campaignOptions) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    try {
      _exit(exitCode(runCampaign(campaignOptions, kNever, kSilent)));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(kExitSetup);
    }
  }
};

class KillTest : public DurabilityTest, public testing::WithParamInterface<int> {
 protected:
  CampaignOptions campaign(const std::string& out, uint64_t runs) {
    return DurabilityTest::campaign(out, runs, static_cast<uint64_t>(GetParam()));
  }

  // Kills ten times, about every other time a worker.
  void killAtRandom(const CampaignOptions& campaignOptions) {
    std::mt19937 random(static_cast<unsigned>(GetParam()));
    pid_t pid = start(campaignOptions);
    for (int kill = 0; kill < 10; ++kill) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10 + random() % 150));
      const std::vector<pid_t> children = childrenOf(pid);
      if (kill % 2 == 0 && !children.empty()) {
        ::kill(children[random() % children.size()], SIGKILL);
        continue;
      }
      ::kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
      pid = start(campaign("killed", campaignOptions.runs));
    }
    while (storedCases(campaignOptions.out) < 20) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }

  // 0 until the first process has begun the ledger.
  static int64_t storedCases(const std::filesystem::path& folder) {
    try {
      return summaryOf(folder).cases;
    } catch (const UserError&) {
      return 0;
    }
  }
};

TEST_P(KillTest, AResumedCampaignMatchesAnUninterruptedOne) {
  std::filesystem::create_directories(folder_ / "corpus");
  for (int i = 0; i < 3; ++i) file("corpus/wrong" + std::to_string(i) + ".fusion", "# " + std::to_string(i) + kWrong);
  constexpr uint64_t kWithoutEnd = 1000000;
  killAtRandom(campaign("killed", kWithoutEnd));
  // Up to the last case that anybody finished.
  const NumberSet done = Ledger(folder_ / "killed", true).load().accounting.cases();
  uint64_t cases = 0;
  for (uint64_t seen = 0; seen < done.count(); ++cases) seen += done.contains(cases);
  const reports::CampaignSummary resumed = runCampaign(campaign("killed", cases + 20), kNever, kSilent);
  const reports::CampaignSummary whole = runCampaign(campaign("whole", cases + 20), kNever, kSilent);
  EXPECT_GT(done.count(), 10u);
  EXPECT_EQ(whole.cases, static_cast<int64_t>(cases) + 20 + 3);
  EXPECT_EQ(whole.findings.size(), 3u);
  EXPECT_EQ(withoutTime(resumed), withoutTime(whole));
  for (const reports::Finding& finding : resumed.findings) {
    EXPECT_EQ(finding.reproduces, "fails fresh");
    EXPECT_TRUE(std::filesystem::exists(folder_ / "killed" / finding.file)) << finding.file;
  }
}

// Cases are in the ledger soon after they finish, long before it folds them into its sums: what kill -9 then takes away
// is what ran at that moment.
TEST_F(DurabilityTest, FinishedCasesAreStoredAtOnce) {
  std::filesystem::create_directories(folder_ / "corpus");
  CampaignOptions slow = campaign("slow", 1000000, 1);
  BeforePasses waiting([](Fusion&) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  slow.task.judge.observers = {&waiting};
  const pid_t pid = start(slow);
  uint64_t kept = 0;
  // The first fold is some ten seconds away.
  for (int attempt = 0; attempt < 60 && kept < 20; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::error_code error;
    if (!std::filesystem::exists(folder_ / "slow" / "report.json", error) &&
        !std::filesystem::exists(folder_ / "slow" / "campaign.log", error)) {
      continue;  // it has not begun
    }
    kept = static_cast<uint64_t>(summaryOf(folder_ / "slow").cases);
  }
  ::kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  EXPECT_GE(kept, 20u);
  EXPECT_LT(kept, static_cast<uint64_t>(Ledger::kFoldEvery));
  EXPECT_GE(Ledger(folder_ / "slow", true).load().accounting.cases().count(), kept);
}

INSTANTIATE_TEST_SUITE_P(Seeds, KillTest, testing::Range(1, 6));

}  // namespace
}  // namespace fuser::fuzz
