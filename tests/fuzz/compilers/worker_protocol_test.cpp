// worker_protocol.py: the side of the protocol that all workers share.

#include <gtest/gtest.h>

#include <array>

#include "fuzz/compilers/targets.h"
#include "tests/fuzz/compilers/fake_worker.h"

namespace fuser::fuzz {
namespace {

// Prints, and answers with what it was asked; the program "fail" ends it.
constexpr const char* kEcho = R"(
import sys
from worker_protocol import F32, OK, Answer, output, serve

def perform(request):
    print("printed between answers", flush=True)
    if request.programs[0].text == "fail":
        raise ValueError("an error of the worker's own")
    text = f"{sys.argv[1:]} {request.names_switches} {request.off} {[tuple(program) for program in request.programs]}"
    return Answer(OK, text, (5, 6), [(program.run, [output(F32, [0, 2], [2, 1], b""), output(F32, [], [], b"1234")])
                                     for program in request.programs])

serve("echo 1", perform)
)";

WorkerProcess echo() { return WorkerProcess(pythonWorker("/usr/bin/python3", kEcho, "main"), shortLimits()); }

TEST(WorkerProtocolTest, RequestsAreReadAndAnswersWritten) {
  WorkerProcess worker = echo();
  WorkerRequest request;
  request.off = "one,two";
  request.text = WantedText::Switches;
  request.programs = {{0, "fir\u00e9st", std::string("a\0b", 3)}, {3, "", ""}};
  const WorkerReply reply = worker.ask(request);
  ASSERT_EQ(reply.ending, WorkerEnding::Answered) << reply.detail;
  EXPECT_EQ(worker.version(), "echo 1");
  EXPECT_EQ(reply.answer.text, "['main'] True ['one', 'two'] [(0, 'fir\u00e9st', b'a\\x00b'), (3, '', b'')]");
  EXPECT_EQ(reply.answer.compileMicroseconds, 5u);
  ASSERT_EQ(reply.answer.runs.size(), 2u);
  EXPECT_EQ(reply.answer.runs[1].index, 3u);
  ASSERT_EQ(reply.answer.runs[1].outputs.size(), 2u);
  EXPECT_EQ(reply.answer.runs[1].outputs[0].sizes, Dims({0, 2}));
  EXPECT_EQ(reply.answer.runs[1].outputs[1].elements, "1234");
}

// Compiles in one what has no "alone" among it.
constexpr const char* kTogether = R"(
from worker_protocol import OK, Answer, serve

def perform(request):
    return Answer(OK, "decisions" if request.tells_decisions else "alone")

def together(requests):
    if any(request.programs[0].text == "alone" for request in requests):
        return None
    return [Answer(OK, f"{i} of {len(requests)}") for i, _ in enumerate(requests)]

serve("together 1", perform, together)
)";

TEST(WorkerProtocolTest, RequestsOfABlockAreCompiledInOneOrInHalves) {
  WorkerProcess worker(pythonWorker("/usr/bin/python3", kTogether, "main"), shortLimits());
  const auto answersTo = [&](const std::string& second, WantedText wanted = WantedText::None) {
    std::array<WorkerRequest, 4> requests = {requestOf("one"), requestOf(second), requestOf("three"),
                                             requestOf("four")};
    for (WorkerRequest& request : requests) request.text = wanted;
    const std::array<const WorkerRequest*, 4> all = {&requests[0], &requests[1], &requests[2], &requests[3]};
    worker.begin(all);
    WorkerProcess* const only = &worker;
    WorkerProcess::waitFor({&only, 1});
    std::vector<std::string> answers;
    for (const WorkerReply& reply : worker.takeReplies())
      answers.push_back(concat(reply.answer.text, ", ", reply.answer.companions));
    return answers;
  };
  EXPECT_EQ(answersTo("two"), (std::vector<std::string>{"0 of 4, 3", "1 of 4, 3", "2 of 4, 3", "3 of 4, 3"}));
  EXPECT_EQ(answersTo("alone"), (std::vector<std::string>{"alone, 0", "alone, 0", "0 of 2, 1", "1 of 2, 1"}));
  EXPECT_EQ(worker.ask(requestOf("one")).answer.text, "alone");
  // Decisions are of one program.
  EXPECT_EQ(answersTo("two", WantedText::Decisions), std::vector<std::string>(4, "decisions, 0"));
}

// An error here would be taken for the target's.
TEST(WorkerProtocolTest, DecisionsThatCannotBeToldAreNoError) {
  constexpr const char* kTelling = R"(
from worker_protocol import OK, Answer, serve, told

def perform(request):
    return Answer(OK, ", ".join(sorted(told(lambda: {"a"}) | told(lambda: {1 / 0}))))

serve("telling 1", perform)
)";
  WorkerProcess worker(pythonWorker("/usr/bin/python3", kTelling, "main"), shortLimits());
  EXPECT_EQ(worker.ask(requestOf("one")).answer.text, "a, not told: ZeroDivisionError");
}

TEST(WorkerProtocolTest, WhatIsOffMayBeNothing) {
  WorkerProcess worker = echo();
  EXPECT_EQ(worker.ask(requestOf("text")).answer.text, "['main'] False [] [(4294967295, 'text', b'')]");
}

TEST(WorkerProtocolTest, AnErrorOfTheWorkerEndsItWithAStack) {
  WorkerProcess worker = echo();
  const WorkerReply reply = worker.ask(requestOf("fail"));
  EXPECT_EQ(reply.ending, WorkerEnding::Died);
  EXPECT_NE(reply.detail.find("ValueError: an error of the worker's own"), std::string::npos) << reply.detail;
}

}  // namespace
}  // namespace fuser::fuzz
