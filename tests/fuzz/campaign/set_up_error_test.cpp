// Errors of the environment during a campaign: the campaign ends, records no finding, and resumes later.

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <new>
#include <system_error>

#include "fuser/analysis/compile_observer.h"
#include "fuser/support/sanitizers.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuzz/campaign/bucket_minimizer.h"
#include "fuzz/campaign/confirm.h"
#include "fuzz/campaign/selftest.h"
#include "fuzz/campaign/triage.h"
#include "fuzz/judge/memory_shortage.h"
#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

[[noreturn]] void noThreads() { throw std::system_error(EAGAIN, std::generic_category(), "no more threads"); }

class SetUpErrorTest : public CampaignFolder {
 protected:
  // A compiler that does so before its passes.
  void whenCompiling(std::function<void()> action) { failing_.action = std::move(action); }
  TaskSettings settings() {
    TaskSettings taskSettings;
    taskSettings.judge.observers = {&failing_};
    return taskSettings;
  }
  CampaignOptions campaign() {
    CampaignOptions campaignOptions = options(10);
    campaignOptions.out = folder_ / "out";
    campaignOptions.task.judge.observers = {&failing_};
    return campaignOptions;
  }
  struct Failing : CompileObserver {
    void beforePasses(Fusion&) override { action(); }
    std::function<void()> action;
  };
  Failing failing_;
};

template <class Action>
std::string setUpErrorOf(const Action& action) {
  try {
    action();
  } catch (const SetUpError& error) {
    return error.what();
  }
  return "";
}

TEST_F(SetUpErrorTest, ACampaignEndsWithoutAFindingAndGoesOn) {
  const std::filesystem::path mark = folder_ / "mark";
  whenCompiling([mark]() {
    if (!std::filesystem::exists(mark)) noThreads();
  });
  CampaignOptions campaignOptions = campaign();
  EXPECT_NE(setUpErrorOf([&] { runCampaign(campaignOptions, kNever, kSilent); }).find("no more threads"),
            std::string::npos);
  EXPECT_TRUE(summaryOf(campaignOptions.out).findings.empty());
  std::ofstream(mark) << "x";
  campaignOptions.resume = true;
  const reports::CampaignSummary summary = runCampaign(campaignOptions, kNever, kSilent);
  EXPECT_EQ(summary.cases, 10);
  EXPECT_TRUE(summary.findings.empty());
}

// Killed once it runs again (findings_test.cpp); killed for ever it is no finding either.
TEST_F(SetUpErrorTest, AWorkerThatIsAlwaysKilledIsNoFinding) {
  whenCompiling([]() { raise(SIGKILL); });
  const CampaignOptions campaignOptions = campaign();
  EXPECT_NE(setUpErrorOf([&] { runCampaign(campaignOptions, kNever, kSilent); }).find("was ended from outside"),
            std::string::npos);
  EXPECT_TRUE(summaryOf(campaignOptions.out).findings.empty());
}

TEST_F(SetUpErrorTest, AnUnreadableFileGivesNoVerdict) {
  const auto judge = [&](const std::string& path) {
    return setUpErrorOf([&] { performTask(FileTask{path}, TaskSettings()); });
  };
  EXPECT_NE(judge((folder_ / "nowhere.fusion").string()).find("nowhere.fusion: it does not exist"), std::string::npos);
  const std::string path = file("a.fusion", kRight);
  EXPECT_EQ(judge(path), "");
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{3, 3};
    setrlimit(RLIMIT_NOFILE, &none);
    _exit(judge(path).find("Too many open files") != std::string::npos ? 42 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST_F(SetUpErrorTest, ASetUpErrorNamesTheCorpusFile) {
  whenCompiling([]() { throw SetUpError("no GPU"); });
  const std::string path = file("a.fusion", kRight);
  EXPECT_EQ(setUpErrorOf([&] { performTask(FileTask{path}, settings()); }), path + ": no GPU");
  EXPECT_EQ(setUpErrorOf([&] { performTask(TextsTask{{kRight}}, settings()); }), "no GPU");
}

TEST_F(SetUpErrorTest, NoStageTurnsASetUpErrorIntoAVerdict) {
  whenCompiling([]() { noThreads(); });
  const TaskSettings lacking = settings();
  const std::string path = file("a.fusion", kRight);
  Suspect suspect{FileTask{path}, {}, {}};
  suspect.verdict.kind = VerdictKind::Crash;
  suspect.verdict.reason = suspect.verdict.detail = "x";
  ReplayOptions replays;
  replays.judge = lacking.judge;
  SelftestOptions selftest;
  selftest.runs = 2;
  selftest.onlyFaults = {"where-swapped"};
  selftest.judge = lacking.judge;
  const MinimizeTask minimizing{path, "x", (folder_ / "best").string(), 1 << 20, 5};
  const std::vector<std::pair<const char*, std::function<void()>>> stages = {
      {"case", [&] { performTask(CaseTask{0}, lacking); }},
      {"file", [&] { performTask(FileTask{path}, lacking); }},
      {"texts", [&] { performTask(TextsTask{{kRight}}, lacking); }},
      {"bucket", [&] { performTask(BucketTask{kRight}, lacking); }},
      {"confirm", [&] { confirm(suspect, lacking, {}); }},
      {"minimise", [&] { performMinimize(minimizing, lacking, {}); }},
      {"replay", [&] { replay({path}, replays, kSilent); }},
      {"triage", [&] { triage(folder_, replays); }},
      {"selftest", [&] { runSelftest(selftest, kNever, kSilent); }},
  };
  for (const auto& [stage, action] : stages)
    EXPECT_NE(setUpErrorOf(action).find("no more threads"), std::string::npos) << stage;
  EXPECT_TRUE(std::filesystem::exists(path));  // not moved
}

// A failed allocation below the memory limit is a SetUpError, one beyond it is a finding.
TEST_F(SetUpErrorTest, LackOfMemoryIsDistinguishedFromExcessiveUse) {
  whenCompiling([]() { throw std::bad_alloc(); });
  TaskSettings taskSettings = settings();
  taskSettings.judge.memoryMb = 256;
  const std::string path = file("a.fusion", kRight);
  EXPECT_EQ(performTask(FileTask{path}, taskSettings).verdict.kind, VerdictKind::OutOfMemory);
  EXPECT_FALSE(isMemoryShort(256));
  if (kAddressSanitizer) GTEST_SKIP() << "address sanitizer ends a process whose own memory is refused";
  const pid_t child = fork();
  if (child == 0) {
    const rlimit little{rlim_t{64} << 20, rlim_t{64} << 20};  // less than it has: it gets no more
    setrlimit(RLIMIT_AS, &little);
    const bool isReported =
        isMemoryShort(256) && !setUpErrorOf([&] { judgeCase(parseCase(kRight, "a"), taskSettings.judge); }).empty();
    _exit(isReported ? 42 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST_F(SetUpErrorTest, LackOfMemoryInLibTorchIsASetUpError) {
  EXPECT_TRUE(saysOutOfMemory(std::bad_alloc()));
  EXPECT_TRUE(saysOutOfMemory(std::runtime_error(
      "[enforce fail at alloc_cpu.cpp:121] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate "
      "8 bytes. Error code 12 (Cannot allocate memory)")));
  EXPECT_FALSE(saysOutOfMemory(std::runtime_error("shape mismatch")));
}

}  // namespace
}  // namespace fuser::fuzz
