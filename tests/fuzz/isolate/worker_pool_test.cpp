// WorkerPool: every task ends in exactly one outcome, whatever its worker does.

#include "fuzz/isolate/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "fuser/support/set_up_error.h"

namespace fuser::fuzz {
namespace {

// A name to look for in a stack.
__attribute__((noinline)) int overflowTheStack(int depth) {
  volatile char big[4096];
  big[depth % 4096] = static_cast<char>(depth);
  return depth < 0 ? big[0] : overflowTheStack(depth + 1) + big[1];
}

__attribute__((noinline)) void dereferenceNothing() {
  int* volatile nothing = reinterpret_cast<int*>(uintptr_t{1} << 46);  // (address 0 is mapped on some machines)
  *nothing = 1;
}

// It ends with a call, which returns to what lies behind it.
__attribute__((noinline)) void endsWithACall() { std::abort(); }

std::string misbehave(const std::string& task) {
  if (task == "segv") dereferenceNothing();
  if (task == "abort") std::abort();
  if (task == "throw") throw std::runtime_error("escapes");
  if (task == "exit") _exit(3);
  if (task == "overflow") return std::to_string(overflowTheStack(0));
  if (task == "hang") {
    while (true) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (task == "memory") {
    std::vector<std::unique_ptr<char[]>> blocks;
    while (true) {
      blocks.push_back(std::make_unique<char[]>(8 << 20));
      std::memset(blocks.back().get(), 1, 8 << 20);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  if (task == "killed") raise(SIGKILL);
  if (task == "terminated") {
    raise(SIGTERM);
    return "it went on";
  }
  if (task == "process") return std::to_string(getpid());
  if (task == "open files") {
    std::string open;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code error;
      open += std::filesystem::read_symlink(entry.path(), error).string() + "\n";
    }
    return open;
  }
  if (task == "large") return std::string(3 << 20, 'x');
  return "did " + task;
}

std::map<std::string, Outcome> runAll(const std::vector<std::string>& tasks, int jobs, Limits limits) {
  std::map<std::string, Outcome> outcomes;
  size_t handedOut = 0, count = 0;
  WorkerPool(jobs, limits, misbehave)
      .run([&]() { return handedOut < tasks.size() ? std::optional(tasks[handedOut++]) : std::nullopt; },
           [&](const Outcome& outcome) {
             ++count;
             outcomes[outcome.task] = outcome;
           });
  EXPECT_EQ(count, tasks.size());
  return outcomes;
}

TEST(WorkerPoolTest, RepliesToEveryTask) {
  std::vector<std::string> tasks;
  for (int i = 0; i < 500; ++i) tasks.push_back(std::to_string(i));
  for (const auto& [task, outcome] : runAll(tasks, 3, {})) {
    EXPECT_EQ(outcome.ending, Ending::Finished);
    EXPECT_EQ(outcome.reply, "did " + task);
  }
}

// Gives tasks in order and keeps what comes back.
class Script : public TaskSource {
 public:
  explicit Script(std::vector<PoolTask> tasks) : tasks_(std::move(tasks)) {}
  std::optional<PoolTask> next() override {
    if (handedOut_ == tasks_.size()) return std::nullopt;
    return tasks_[handedOut_++];
  }
  void done(const Outcome& outcome, const std::vector<std::string>& history) override {
    outcomes.push_back(outcome);
    histories.push_back(history);
    // What comes up on the way is done, too.
    if (outcome.task == "segv") tasks_.emplace_back("after", true);
  }
  std::vector<Outcome> outcomes;
  std::vector<std::vector<std::string>> histories;

 private:
  std::vector<PoolTask> tasks_;
  size_t handedOut_ = 0;
};

TEST(WorkerPoolTest, KeepsTheHistoryOfEachProcess) {
  Script script(
      {{"a", false}, {"process", false}, {"process", false}, {"process", true}, {"b", false}, {"segv", false}});
  WorkerPool(1, Limits{}, misbehave).run(script);
  using Tasks = std::vector<std::string>;
  EXPECT_EQ(script.histories, (std::vector<Tasks>{{}, {"a"}, {"a", "process"}, {}, {"process"}, {"process", "b"}, {}}));
  EXPECT_EQ(script.outcomes[1].reply, script.outcomes[2].reply);
  EXPECT_NE(script.outcomes[2].reply, script.outcomes[3].reply);
  EXPECT_EQ(script.outcomes.back().reply, "did after");
}

// Logs a line at each level, then does as it is told.
std::string chatter(const std::string& task, spdlog::logger* log) {
  logLine(log, LogLevel::Debug, "detail");
  logLine(log, LogLevel::Info, std::string("a line\nof two"));
  if (task == "killed") kill(getpid(), SIGKILL);
  if (task == "slow") sleep(60);
  if (task == "many") {
    for (int i = 0; i < 20000; ++i) logLine(log, LogLevel::Warn, "line " + std::to_string(i));
  }
  return isLogged(log, LogLevel::Debug) ? "detailed" : "plain";
}

using Lines = std::vector<std::pair<LogLevel, std::string>>;

// What the pool's log gets of the workers, task by task.
Lines chatterOf(const std::vector<PoolTask>& tasks, LogLevel level, std::vector<std::string>& replies,
                double seconds = 60) {
  Lines lines;
  const LogPtr log = logTo(level, [&](LogLevel of, std::string_view line) { lines.emplace_back(of, line); });
  Script script(tasks);
  WorkerPool(
      1, [seconds](const std::string&) { return Limits{.seconds = seconds}; }, chatter, log)
      .run(script);
  for (const Outcome& outcome : script.outcomes) replies.push_back(outcome.reply);
  return lines;
}

TEST(WorkerPoolTest, WorkersLinesComeBeforeTheOutcomeUnderTheTasksName) {
  std::vector<std::string> replies;
  const Lines lines = chatterOf({{"a\nwith more"}, {"b"}}, LogLevel::Debug, replies);
  EXPECT_EQ(lines, (Lines{{LogLevel::Debug, "a: detail"},
                          {LogLevel::Info, "a: a line\nof two"},
                          {LogLevel::Debug, "b: detail"},
                          {LogLevel::Info, "b: a line\nof two"}}));
  EXPECT_EQ(replies, (std::vector<std::string>{"detailed", "detailed"}));
}

TEST(WorkerPoolTest, AWorkersLogHasTheLevelOfThePools) {
  std::vector<std::string> replies;
  EXPECT_EQ(chatterOf({{"a"}}, LogLevel::Info, replies), (Lines{{LogLevel::Info, "a: a line\nof two"}}));
  EXPECT_EQ(chatterOf({{"b"}}, LogLevel::Off, replies), Lines{});
  EXPECT_EQ(replies, (std::vector<std::string>{"plain", "plain"}));
  EXPECT_EQ(runAlone("c", {}, chatter, nullptr).reply, "plain");
}

TEST(WorkerPoolTest, TheLastLinesOfAWorkerThatDiesOrHangsArrive) {
  std::vector<std::string> replies;
  const Lines lines = chatterOf({{"killed"}, {"slow"}, {"after"}}, LogLevel::Info, replies, 0.5);
  EXPECT_EQ(lines, (Lines{{LogLevel::Info, "killed: a line\nof two"},
                          {LogLevel::Info, "slow: a line\nof two"},
                          {LogLevel::Info, "after: a line\nof two"}}));
  EXPECT_EQ(replies, (std::vector<std::string>{"", "", "plain"}));
}

// More than a pipe holds.
TEST(WorkerPoolTest, ManyLinesArriveInOrder) {
  std::vector<std::string> replies;
  const Lines lines = chatterOf({{"many"}}, LogLevel::Warn, replies);
  ASSERT_EQ(lines.size(), 20000u);
  EXPECT_EQ(lines.front().second, "many: line 0");
  EXPECT_EQ(lines.back().second, "many: line 19999");
  EXPECT_EQ(replies, std::vector<std::string>{"plain"});
}

TEST(WorkerPoolTest, ReplacesAWorkerAfterItsShareOfTasks) {
  Script script({{"a", false}, {"b", false}, {"c", false}, {"d", false}, {"e", false}});
  WorkerPool(
      1, [](const std::string&) { return Limits{}; }, misbehave, 2)
      .run(script);
  std::vector<size_t> before;
  for (const auto& history : script.histories) before.push_back(history.size());
  EXPECT_EQ(before, (std::vector<size_t>{0, 1, 0, 1, 0}));
}

TEST(WorkerPoolTest, DistinguishesAKillFromOutsideFromACrash) {
  EXPECT_TRUE(runAlone("killed", {}, misbehave).fromOutside);
  EXPECT_FALSE(runAlone("segv", {}, misbehave).fromOutside);
  EXPECT_FALSE(runAlone("memory", {.seconds = 20, .residentMb = 200}, misbehave).fromOutside);
  EXPECT_FALSE(runAlone("hang", {.seconds = 0.1}, misbehave).fromOutside);
}

// The kernel, short of memory, may end a process that is past its limit before we look.
TEST(WorkerPoolTest, AKillPastTheMemoryLimitIsOutOfMemory) {
  const WorkerPool::Work greedy = [](const std::string&) {
    std::vector<char> memory(300 << 20, 'x');
    raise(SIGKILL);
    return std::string(1, memory.back());
  };
  const Outcome outcome = runAlone("greedy", {.seconds = 20, .residentMb = 200}, greedy);
  EXPECT_EQ(outcome.ending, Ending::OutOfMemory);
  EXPECT_FALSE(outcome.fromOutside);
  EXPECT_NE(outcome.detail.find("MiB is above 200 MiB"), std::string::npos) << outcome.detail;
  EXPECT_THROW(checkNotFromOutside(runAlone("killed", {}, misbehave)), SetUpError);
  EXPECT_NO_THROW(checkNotFromOutside(runAlone("segv", {}, misbehave)));
}

std::string setUpErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const SetUpError& error) {
    return error.what();
  }
  return "";
}

TEST(WorkerPoolTest, AnEnvironmentFailureIsNotAnOutcome) {
  const WorkerPool::Work lacking = [](const std::string& task) -> std::string {
    if (task == "space") throw SetUpError("cannot write x; is the disk full?");
    if (task == "memory") throw std::bad_alloc();
    throw std::system_error(EAGAIN, std::generic_category(), "no more threads");
  };
  EXPECT_EQ(setUpErrorOf([&] { runAlone("space", {}, lacking); }), "cannot write x; is the disk full?");
  EXPECT_EQ(setUpErrorOf([&] { runAlone("memory", {}, lacking); }), "no memory left for a worker process");
  EXPECT_NE(setUpErrorOf([&] { runAlone("threads", {}, lacking); }).find("no more threads"), std::string::npos);
  // From a process of a process, too.
  const WorkerPool::Work nested = [&](const std::string& task) { return runAlone(task, {}, lacking).reply; };
  EXPECT_EQ(setUpErrorOf([&] { runAlone("space", {}, nested); }), "cannot write x; is the disk full?");
}

// 0: a SetUpError.
int endBelow(decltype(RLIMIT_NOFILE) resource, rlim_t most, const std::function<void()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{most, most};
    setrlimit(resource, &limit);
    _exit(setUpErrorOf(action).empty());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

TEST(WorkerPoolTest, RunningOutOfFileDescriptorsIsASetUpError) {
  for (rlim_t files = 3; files < 8; ++files)
    EXPECT_EQ(endBelow(RLIMIT_NOFILE, files, [] { runAlone("a", {}, misbehave); }), 0) << files;
  EXPECT_EQ(endBelow(RLIMIT_NOFILE, 60, [] { runAlone("a", {}, misbehave); }), 1);
}

TEST(SymboliserTest, AMissingProgramIsASetUpError) {
  const std::string detail = "signal x\n/nowhere(+0x12) [0x12]\n";
  EXPECT_EQ(endBelow(RLIMIT_NOFILE, 3, [&] { withSymbols(detail); }), 0);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("worker_pool_test." + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.c_str(), 1);
  EXPECT_NE(setUpErrorOf([&] { withSymbols(detail); }).find("cannot start addr2line"), std::string::npos);
  EXPECT_NE(setUpErrorOf([] { Symboliser::check(); }).find("apt-get install binutils"), std::string::npos);
  std::ofstream(folder / "addr2line") << "#!/bin/sh\nkill -KILL $$\n";
  std::filesystem::permissions(folder / "addr2line", std::filesystem::perms::owner_all);
  EXPECT_NE(setUpErrorOf([&] { withSymbols(detail); }).find("was ended by signal 9"), std::string::npos);
  setenv("PATH", path.c_str(), 1);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(setUpErrorOf([] { Symboliser::check(); }), "");
}

// fuserfuzz ends its report on SIGTERM; its workers have nothing to end, and must not take it for one of their own.
TEST(WorkerPoolTest, WorkersDoNotInheritSignalHandlers) {
  const auto former = std::signal(SIGTERM, [](int) {});
  const Outcome outcome = runAlone("terminated", {}, misbehave);
  std::signal(SIGTERM, former);
  EXPECT_NE(outcome.ending, Ending::Finished) << outcome.reply;
  EXPECT_TRUE(outcome.fromOutside) << outcome.detail;
}

TEST(SymboliserTest, LooksUpEachAddressOnce) {
  const std::string stack = "signal x\nnothing known\n" + std::string("/nowhere(+0x12) [0x12]\n");
  Symboliser symbols;
  EXPECT_EQ(symbols.withSymbols(stack), stack);
  EXPECT_EQ(symbols.withSymbols(stack), stack);
  const std::string detail = runAlone("segv", {}, misbehave).detail;
  EXPECT_EQ(symbols.withSymbols(detail), detail);  // symbols have no symbols
}

// A lock of the supervisor must not live on in a worker.
TEST(WorkerPoolTest, WorkersInheritNoOpenFiles) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("worker_pool_test." + std::to_string(getpid()));
  std::FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(runAlone("open files", {}, misbehave).reply.find(path.string()), std::string::npos);
  std::fclose(file);
  std::filesystem::remove(path);
}

TEST(WorkerPoolTest, CarriesLargeReplies) {
  EXPECT_EQ(runAll({"large"}, 1, {})["large"].reply.size(), size_t{3} << 20);
}

TEST(WorkerPoolTest, ACrashCostsOneTask) {
  const auto outcomes = runAll({"a", "segv", "b", "abort", "c", "throw", "d", "exit", "e"}, 2, {});
  for (const char* task : {"a", "b", "c", "d", "e"}) EXPECT_EQ(outcomes.at(task).ending, Ending::Finished) << task;
  for (const char* task : {"segv", "abort", "throw", "exit"}) {
    EXPECT_EQ(outcomes.at(task).ending, Ending::Crashed) << task;
  }
  EXPECT_NE(outcomes.at("segv").detail.find("Segmentation fault"), std::string::npos);
  EXPECT_NE(outcomes.at("exit").detail.find("exit code 3"), std::string::npos);
}

TEST(WorkerPoolTest, ACrashHasASymbolisedStack) {
  const std::string detail = runAlone("segv", {}, misbehave).detail;
  EXPECT_NE(detail.find("dereferenceNothing"), std::string::npos) << detail;
  EXPECT_NE(detail.find("worker_pool_test.cpp"), std::string::npos) << detail;
}

TEST(WorkerPoolTest, ACallerIsNamedByItsCallNotByWhatLiesBehindIt) {
  const auto work = [](const std::string&) {
    endsWithACall();
    return std::string();
  };
  const std::string detail = runAlone("abort", {}, work).detail;
  EXPECT_NE(detail.find("endsWithACall() at "), std::string::npos) << detail;
}

TEST(WorkerPoolTest, AStackOverflowHasAStackToo) {
  const Outcome outcome = runAlone("overflow", {}, misbehave);
  EXPECT_EQ(outcome.ending, Ending::Crashed);
  EXPECT_NE(outcome.detail.find("overflowTheStack"), std::string::npos) << outcome.detail;
}

TEST(WorkerPoolTest, AHangIsEndedWithItsStack) {
  const auto outcomes = runAll({"a", "hang", "b"}, 1, {.seconds = 0.3});
  EXPECT_EQ(outcomes.at("hang").ending, Ending::TimedOut);
  EXPECT_NE(outcomes.at("hang").detail.find("misbehave"), std::string::npos) << outcomes.at("hang").detail;
  EXPECT_LT(outcomes.at("hang").seconds, 5);
  EXPECT_EQ(outcomes.at("b").ending, Ending::Finished);
}

TEST(WorkerPoolTest, TheTimeInWhichAWorkerIsStoppedDoesNotCount) {
  const Outcome outcome = runAlone("stops", {.seconds = 1}, [](const std::string&) {
    const pid_t worker = getpid();
    if (fork() == 0) {
      usleep(2'500'000);
      kill(worker, SIGCONT);
      _exit(0);
    }
    raise(SIGSTOP);
    return std::string("went on");
  });
  EXPECT_EQ(outcome.ending, Ending::Finished) << outcome.detail;
  EXPECT_EQ(outcome.reply, "went on");
}

TEST(WorkerPoolTest, ResidentMemoryIsLimited) {
  const Outcome outcome = runAlone("memory", {.seconds = 20, .residentMb = 200}, misbehave);
  EXPECT_EQ(outcome.ending, Ending::OutOfMemory);
  EXPECT_NE(outcome.detail.find("above 200 MiB"), std::string::npos) << outcome.detail;
}

}  // namespace
}  // namespace fuser::fuzz
