#pragma once
// The process side of a worker: how it is started, spoken to and watched. WorkerPool decides who gets what; nothing
// here knows tasks' meaning. Used by the supervisor's one thread.

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "fuzz/isolate/worker_pool.h"

namespace fuser::fuzz {

class Worker {
 public:
  // Forks. log: where the lines of the process go; may be null.
  Worker(const WorkerPool::LoggingWork& work, const LogPtr& log);
  ~Worker();  // kills what still runs
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // To a worker that is neither busy nor dead; the task's time starts now.
  void give(const std::string& task, const Limits& limits = {});
  bool busy() const { return busy_; }
  const std::string& task() const { return task_; }
  // Tasks that this process has done, in order, without the present one; remember() adds that when it is done.
  const std::vector<std::string>& history() const { return history_; }
  void remember() { history_.push_back(std::move(task_)); }
  int replyDescriptor() const { return fromWorker_; }

  // Reads what is there, and logs what are lines. An outcome when the task is done, or the worker has died. A
  // SetUpError where the surroundings did not give what the task needs.
  std::optional<Outcome> receive();
  // An outcome when a limit is passed: the worker is killed then. Looks now and then, however often it is called. One
  // past its time is asked for its stack first, so that the outcome comes with a later call, of this or of receive().
  std::optional<Outcome> enforce(const Limits& limits);
  bool dead() const { return pid_ < 0; }

 private:
  double elapsed() const;
  std::string readStack() const;  // frames without symbols
  Outcome timedOut();             // after end()
  int end();                      // waits; the wait status
  Outcome finish(Ending ending, std::string detail);
  bool readPipe();                         // what is there; false: the other end is closed
  std::optional<std::string> takeReply();  // once it is there; the lines before it are logged

  LogPtr log_;
  pid_t pid_ = -1;
  int toWorker_ = -1;
  int fromWorker_ = -1;
  int stack_ = -1;  // memory file that the worker's signal handler writes its stack to
  bool busy_ = false;
  std::optional<std::chrono::steady_clock::time_point> askedForStack_;
  double secondsAllowed_ = 0;  // when it was asked
  size_t peakMb_ = 0;          // the largest resident size, of one that has ended
  Limits limits_;              // that give() or enforce() saw last
  std::vector<std::string> history_;
  std::string task_;
  std::string received_;
  std::chrono::steady_clock::time_point started_;   // the task
  std::chrono::steady_clock::time_point lastLook_;  // at its limits
};

// Installs the handlers that write the stack of a fatal signal to the descriptor. For the worker process.
void writeStacksTo(int descriptor);

}  // namespace fuser::fuzz
