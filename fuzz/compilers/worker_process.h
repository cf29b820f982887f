#pragma once
// WorkerProcess: another compiler, in a process of its own that lives for many programs (fuzz/compilers/*_worker.py).
//
// The process is killed with all that it started, wherever that went (process_family.h): compilers start compilers. A
// frame is a u32 length and as many bytes, all numbers little-endian:
//   request   u64 id, u8 WantedText, u32 requests that follow it and may be compiled with it,
//             text: switches that are off; u32 programs, each: u32 index of the case's run or kAllRuns, text,
//             u64 length, data
//   answer    u64 id, u8 AnswerKind, u32 requests that were compiled with it, u64, u64 and u64 microseconds of the
//             first run (and the compilation), of the others, and of what the worker did beside, text, u32 runs; each
//             run: u32 index of the case's run, u32 outputs; each output: u8 DataType, u8 rank, i64 sizes[rank],
//             i64 strides[rank], u64 length, the elements dense and row-major. The first program that fails ends the
//             answer: its kind and text, and the runs before it
//   text      u32 length, UTF-8
// The process begins with an answer of kind Hello and id 0, whose text is its version. Its descriptors: 0 requests,
// 1 answers, 3 a log for all else that it prints, 4 a file to which it writes "begin ID" before it begins a request,
// "begin ID ID …" before it compiles several in one. worker_protocol.py is the other side.
//
// Many requests may be under way; answers come in their order. What ends the process is the reply to the first one that
// has no answer.
//
// Whatever the process does, ask() comes back: an answer that breaks the protocol is an Ending of its own.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/compilers/answer.h"
#include "fuzz/compilers/request.h"

namespace fuser::fuzz {

struct WorkerCommand {
  std::vector<std::string> arguments;                          // the first one is the program's path
  std::vector<std::pair<std::string, std::string>> variables;  // of the environment, in addition
};

struct WorkerLimits {
  double startSeconds = 120;                 // until it says Hello
  double seconds = 60;                       // a request
  size_t residentMb = 4096;                  // of the whole family
  uint64_t requests = 2000;                  // then another process takes over
  uint32_t answerBytes = uint32_t{1} << 30;  // longer answers are lies
  int64_t logBytes = int64_t{64} << 20;      // printed while it does one request
};

enum class WorkerEnding : uint8_t {
  Answered,
  Died,  // detail: exit code or signal, and its last words
  TimedOut,
  OutOfMemory,
  Lied,  // an answer breaks the protocol; detail: how
};

struct WorkerReply {
  WorkerEnding ending = WorkerEnding::Answered;
  Answer answer;          // Answered
  std::string detail;     // otherwise; the first line says what, the others are the end of its log
  bool together = false;  // of programs that were compiled in one: another one may be the cause
};

class WorkerProcess {
 public:
  WorkerProcess(WorkerCommand command, WorkerLimits limits);
  ~WorkerProcess();  // kills the family
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Starts the process if there is none. After any ending but Answered there is none. A SetUpError if it cannot be
  // started at all, or ends before it says Hello.
  WorkerReply ask(const WorkerRequest& request);

  // The same for several, in three steps, so that several processes work at once. The worker may compile the requests
  // in one. Those behind one that ends the process have no reply.
  void begin(std::span<const WorkerRequest* const> requests);
  static void waitFor(std::span<WorkerProcess* const> workers);
  std::vector<WorkerReply> takeReplies();

  // Of the process that runs, or ran last: "torch 2.11.0".
  const std::string& version() const { return version_; }
  pid_t pid() const { return pid_; }  // -1: there is none

 private:
  using Clock = std::chrono::steady_clock;

  void start();
  void stop();    // kills the family and waits
  void forget();  // of a process that is another one's child: this one was forked with it
  void await(std::vector<uint64_t> ids, double seconds);
  // Sends and receives what can be without waiting; whether more is awaited. A failure is a reply: then the process has
  // ended.
  bool step();
  void send();
  bool receive();  // false: it has closed its answers
  void takeAnswers();
  void checkLimits();
  void fail(WorkerEnding ending, const std::string& what);
  std::string lastWords() const;
  std::string begun() const;

  WorkerCommand command_;
  WorkerLimits limits_;
  std::string version_;
  pid_t pid_ = -1;
  pid_t owner_ = -1;  // who started it
  int toWorker_ = -1, fromWorker_ = -1, log_ = -1, progress_ = -1;
  uint64_t done_ = 0;  // requests of this process
  uint64_t lastId_ = 0;
  std::string toSend_, received_;
  size_t sent_ = 0;               // of toSend_
  std::deque<uint64_t> awaited_;  // ids
  double secondsOfEach_ = 0;      // that are awaited
  Clock::time_point since_;       // the last answer, or beginning
  int64_t begun_ = 0;             // the size of what it has said that it begins
  size_t moreBeginnings_ = 0;     // that may still have time of their own
  Clock::time_point nextCount_;   // of memory
  std::vector<WorkerReply> replies_;
};

}  // namespace fuser::fuzz
