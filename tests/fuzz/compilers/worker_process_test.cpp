// Workers of targets: whatever they do, ask() comes back and names it.

#include "fuzz/compilers/worker_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <thread>

#include "fuser/support/set_up_error.h"
#include "tests/fuzz/compilers/fake_worker.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kHonest = "write(answer(identity, 1, text))";

// Of a first program.
WorkerReply replyOf(const std::string& perform, WorkerLimits limits = shortLimits()) {
  WorkerProcess worker(fakeWorker(perform), limits);
  const WorkerReply reply = worker.ask(requestOf("program"));
  EXPECT_TRUE(reply.ending == WorkerEnding::Answered || worker.pid() < 0) << "it still runs";
  return reply;
}

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(WorkerProcessTest, AnswersComeBack) {
  WorkerProcess worker(fakeWorker(kHonest), shortLimits());
  for (const std::string& program : {std::string("one"), std::string(3 << 20, 'x'), std::string()}) {
    const WorkerReply reply = worker.ask(requestOf(program));
    ASSERT_EQ(reply.ending, WorkerEnding::Answered) << reply.detail;
    EXPECT_EQ(reply.answer.text, program);
  }
  EXPECT_EQ(worker.version(), "fake 1");
}

TEST(WorkerProcessTest, DeathIsNamedWithItsLastWords) {
  const WorkerReply reply = replyOf("os.write(2, b'last words'); os._exit(3)");
  EXPECT_EQ(reply.ending, WorkerEnding::Died);
  EXPECT_EQ(reply.detail, "exit code 3\nits last line: begin 1\nlast words");
  const WorkerReply crash = replyOf("os.kill(os.getpid(), signal.SIGSEGV)");
  EXPECT_EQ(crash.ending, WorkerEnding::Died);
  EXPECT_EQ(firstLine(crash.detail), "signal Segmentation fault");
}

TEST(WorkerProcessTest, AfterDeathAnotherOneStarts) {
  WorkerProcess worker(fakeWorker("os._exit(0) if text == 'die' else write(answer(identity, 1, text))"), shortLimits());
  EXPECT_EQ(worker.ask(requestOf("die")).ending, WorkerEnding::Died);
  EXPECT_EQ(worker.ask(requestOf("live")).ending, WorkerEnding::Answered);
}

// Whoever waits for it.
bool isGone(pid_t pid) {
  for (int i = 0; i < 200 && kill(pid, 0) == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const std::string status = "/proc/" + std::to_string(pid) + "/cmdline";
  FILE* file = std::fopen(status.c_str(), "r");
  const bool runs = file && std::fgetc(file) != EOF;  // a zombie has no command line
  if (file) std::fclose(file);
  return !runs;
}

TEST(WorkerProcessTest, ASleeperIsKilledWithWhatItStarted) {
  WorkerLimits limits = shortLimits();
  limits.seconds = 0.5;
  const WorkerReply reply = replyOf(
      "child = subprocess.Popen(['sleep', '100']); os.write(2, b'child %d ' % child.pid); time.sleep(100)", limits);
  EXPECT_EQ(reply.ending, WorkerEnding::TimedOut);
  EXPECT_EQ(firstLine(reply.detail), "it took more than 0.5 s");
  const size_t place = reply.detail.find("child ");
  ASSERT_NE(place, std::string::npos) << reply.detail;
  EXPECT_TRUE(isGone(std::stoi(reply.detail.substr(place + 6))));
}

TEST(WorkerProcessTest, WhatLeavesItsSessionIsKilledToo) {
  WorkerLimits limits = shortLimits();
  limits.seconds = 0.5;
  // The child starts a session and a process of its own, and ends: that one has another parent.
  const WorkerReply reply = replyOf(
      "child = subprocess.run(['sh', '-c', 'sleep 100 > /dev/null 2>&1 & echo $!'], stdout=subprocess.PIPE, "
      "start_new_session=True).stdout; os.write(2, b'child ' + child); time.sleep(100)",
      limits);
  EXPECT_EQ(reply.ending, WorkerEnding::TimedOut) << reply.detail;
  const size_t place = reply.detail.find("child ");
  ASSERT_NE(place, std::string::npos) << reply.detail;
  EXPECT_TRUE(isGone(std::stoi(reply.detail.substr(place + 6))));
}

TEST(WorkerProcessTest, LiesAreNamed) {
  const auto lie = [](const std::string& perform) {
    const WorkerReply reply = replyOf(perform);
    EXPECT_EQ(reply.ending, WorkerEnding::Lied) << perform;
    return firstLine(reply.detail);
  };
  EXPECT_EQ(lie("write(answer(identity + 1, 1))"), "it answers program 2 instead of 1");
  EXPECT_EQ(lie("write(answer(identity, 1, '', run(tensor(1, [3], b'1234'))))"),
            "an output has 4 bytes, and its shape and dtype say 12");
  EXPECT_EQ(lie("write(b'\\xff\\xff\\xff\\xff garbage')"), "it announces an answer past the limit");
  EXPECT_EQ(lie("write(answer(identity, 1) + b'more')"), "bytes follow its answer");
  EXPECT_EQ(lie("[os.write(1, b'\\1\\0\\0\\0' * 10000) for _ in range(10**6)]"), "bytes follow its answer");
  EXPECT_EQ(lie("[os.write(2, b'x' * 10**6) for _ in range(200)]; time.sleep(100)"), "it floods its log");
  EXPECT_EQ(lie("os.close(1); time.sleep(100)"), "it closes its answers and goes on");
  EXPECT_EQ(lie("write(answer(identity, 0))"), "it says hello instead of answering");
}

TEST(WorkerProcessTest, BytesAfterAnAnswerAreALieOfTheNextOne) {
  WorkerProcess worker(fakeWorker("write(answer(identity, 1)); time.sleep(0.2); write(b'late')"), shortLimits());
  EXPECT_EQ(worker.ask(requestOf("one")).ending, WorkerEnding::Answered);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(firstLine(worker.ask(requestOf("two")).detail), "bytes follow its answer");
}

TEST(WorkerProcessTest, MemoryIsLimited) {
  WorkerLimits limits = shortLimits();
  limits.residentMb = 100;
  const WorkerReply reply = replyOf("big = b'x' * (300 << 20); time.sleep(100)", limits);
  EXPECT_EQ(reply.ending, WorkerEnding::OutOfMemory);
  EXPECT_EQ(firstLine(reply.detail), "its resident size, with what it started, is above 100 MiB");
}

TEST(WorkerProcessTest, MemoryOfWhatItStartedCounts) {
  WorkerLimits limits = shortLimits();
  limits.residentMb = 100;
  const WorkerReply reply = replyOf(
      "subprocess.Popen([sys.executable, '-S', '-c', 'import time; b = b\"x\" * (300 << 20); time.sleep(100)']); "
      "time.sleep(100)",
      limits);
  EXPECT_EQ(reply.ending, WorkerEnding::OutOfMemory);
}

TEST(WorkerProcessTest, AnAnswerThatLeavesTooMuchBehindIsTheLastOne) {
  WorkerLimits limits = shortLimits();
  limits.residentMb = 100;
  WorkerProcess worker(
      fakeWorker("if text == 'big': globals()['kept'] = b'x' * (300 << 20)\n    " + std::string(kHonest)), limits);
  ASSERT_EQ(worker.ask(requestOf("small")).ending, WorkerEnding::Answered);
  const pid_t first = worker.pid();
  worker.ask(requestOf("big"));
  EXPECT_EQ(worker.ask(requestOf("small")).ending, WorkerEnding::Answered);
  EXPECT_NE(worker.pid(), first);
}

TEST(WorkerProcessTest, ARequestHasProgramsWithRunsAndData) {
  WorkerRequest request;
  request.off = "one,two";
  request.text = WantedText::Switches;
  request.programs = {{0, "first", std::string("a\0b", 3)}, {3, "", ""}, {kAllRuns, "last", "\xff"}};
  WorkerProcess worker(fakeWorker("write(answer(identity, 1, repr((request.wanted, request.off, request.programs))))"),
                       shortLimits());
  EXPECT_EQ(worker.ask(request).answer.text,
            "(1, 'one,two', [(0, 'first', b'a\\x00b'), (3, '', b''), (4294967295, 'last', b'\\xff')])");
}

TEST(WorkerProcessTest, AnotherProcessTakesOverAfterSoManyRequests) {
  WorkerLimits limits = shortLimits();
  limits.requests = 2;
  WorkerProcess worker(fakeWorker(kHonest), limits);
  worker.ask(requestOf("one"));
  const pid_t first = worker.pid();
  worker.ask(requestOf("two"));
  EXPECT_EQ(worker.pid(), first);
  worker.ask(requestOf("three"));
  EXPECT_NE(worker.pid(), first);
}

TEST(WorkerProcessTest, AForkedProcessStartsItsOwn) {
  WorkerProcess worker(fakeWorker(kHonest), shortLimits());
  worker.ask(requestOf("one"));
  const pid_t ours = worker.pid();
  const pid_t child = fork();
  if (child == 0) {
    const bool isRight = worker.ask(requestOf("two")).ending == WorkerEnding::Answered && worker.pid() != ours;
    kill(-worker.pid(), SIGKILL);
    _exit(isRight ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(worker.ask(requestOf("three")).ending, WorkerEnding::Answered);
  EXPECT_EQ(worker.pid(), ours);
}

// Of requests that are under way at once.
std::vector<WorkerReply> repliesOf(WorkerProcess& worker, const std::vector<std::string>& texts) {
  std::vector<WorkerRequest> requests;
  for (const std::string& text : texts) requests.push_back(requestOf(text));
  std::vector<const WorkerRequest*> all;
  for (const WorkerRequest& request : requests) all.push_back(&request);
  worker.begin(all);
  WorkerProcess* const only = &worker;
  WorkerProcess::waitFor({&only, 1});
  return worker.takeReplies();
}

// Neither side's pipe holds them all.
TEST(WorkerProcessTest, ManyRequestsAreUnderWay) {
  WorkerProcess worker(fakeWorker("write(answer(identity, 1, f'{request.following} {text}'))"), shortLimits());
  for (const size_t length : {size_t{1}, size_t{3} << 20}) {
    const std::string text(length, 'x');
    const std::vector<WorkerReply> replies = repliesOf(worker, {text, text, text});
    ASSERT_EQ(replies.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(replies[i].answer.text, concat(2 - i, " ", text));
      EXPECT_FALSE(replies[i].together);
    }
  }
  EXPECT_TRUE(repliesOf(worker, {}).empty());
}

TEST(WorkerProcessTest, WhatEndsItIsTheReplyToTheFirstWithoutAnAnswer) {
  WorkerProcess worker(fakeWorker("os._exit(3) if text == 'die' else write(answer(identity, 1, text))"), shortLimits());
  const std::vector<WorkerReply> replies = repliesOf(worker, {"live", "die", "live"});
  ASSERT_EQ(replies.size(), 2u);
  EXPECT_EQ(replies[0].answer.text, "live");
  EXPECT_EQ(replies[1].ending, WorkerEnding::Died);
  EXPECT_EQ(replies[1].detail, "exit code 3\nits last line: begin 2");
  EXPECT_FALSE(replies[1].together);
  EXPECT_EQ(repliesOf(worker, {"live", "live"}).size(), 2u);
}

TEST(WorkerProcessTest, WhatIsCompiledInOneIsSaidToBe) {
  WorkerProcess honest(fakeWorker("write(answer(identity, 1, text, companions=2))"), shortLimits());
  EXPECT_TRUE(honest.ask(requestOf("one")).together);
  WorkerProcess dying(fakeWorker("os.write(4, b'begin 1 2\\n'); os._exit(3)"), shortLimits());
  const std::vector<WorkerReply> replies = repliesOf(dying, {"one", "two"});
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_TRUE(replies[0].together);
}

// Each waits for the other one's file.
TEST(WorkerProcessTest, SeveralProcessesWorkAtOnce) {
  const std::string folder = testing::TempDir() + concat("at_once_", getpid());
  std::filesystem::create_directories(folder);
  const std::string wait =
      "own, other = text.split(); open(own, 'w').close()\n"
      "    while not os.path.exists(other): time.sleep(0.01)\n"
      "    write(answer(identity, 1))";
  WorkerProcess one(fakeWorker(wait), shortLimits()), two(fakeWorker(wait), shortLimits());
  const std::string first = folder + "/first", second = folder + "/second";
  const WorkerRequest forOne = requestOf(first + " " + second), forTwo = requestOf(second + " " + first);
  const WorkerRequest* ask = &forOne;
  one.begin({&ask, 1});
  ask = &forTwo;
  two.begin({&ask, 1});
  const std::array<WorkerProcess*, 2> both = {&one, &two};
  WorkerProcess::waitFor(both);
  for (WorkerProcess* worker : both) EXPECT_EQ(worker->takeReplies().at(0).ending, WorkerEnding::Answered);
  std::filesystem::remove_all(folder);
}

TEST(WorkerProcessTest, AWorkerThatDoesNotStartIsASetUpError) {
  WorkerProcess missing({{"/no/such/python"}, {}}, shortLimits());
  EXPECT_THROW(missing.ask(requestOf("one")), SetUpError);
  WorkerProcess mute({{"/bin/sh", "-c", "exit 0"}, {}}, shortLimits());
  EXPECT_THROW(mute.ask(requestOf("one")), SetUpError);
}

}  // namespace
}  // namespace fuser::fuzz
