#pragma once
// Worker: starts, talks to and monitors one worker process. WorkerPool assigns the tasks; nothing here interprets them.
// For use by the supervisor's thread only.

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "fuzz/isolate/worker_pool.h"

namespace fuser::fuzz {

class Worker {
 public:
  // Forks. `log` gets the lines of the process; may be null.
  Worker(const WorkerPool::LoggingWork& work, const LogPtr& log);
  ~Worker();  // kills the process if it still runs
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Sends a task to a worker that is neither busy nor dead; the task's time limit starts now.
  void give(const std::string& task, const Limits& limits = {});
  bool busy() const { return busy_; }
  const std::string& task() const { return task_; }
  // The completed tasks of this process, in order; remember() adds the current one when it completes.
  const std::vector<std::string>& history() const { return history_; }
  void remember() { history_.push_back(std::move(task_)); }
  int replyDescriptor() const { return fromWorker_; }

  // Reads the available data and logs its lines. Returns an outcome if the task is complete or the worker has died. A
  // SetUpError if the environment lacks a resource that the task needs.
  std::optional<Outcome> receive();
  // Kills a worker that exceeds a limit and returns the outcome. Checks at intervals, however often it is called. A
  // worker past its time limit is asked for its stack first, so its outcome comes from a later enforce() or receive().
  std::optional<Outcome> enforce(const Limits& limits);
  bool dead() const { return pid_ < 0; }

 private:
  double elapsed() const;
  std::string readStack() const;  // frames without symbols
  Outcome timedOut();             // call it after end()
  int end();                      // waits for the process; returns the wait status
  Outcome finish(Ending ending, std::string detail);
  bool readPipe();                         // reads the available data; false: the other end is closed
  std::optional<std::string> takeReply();  // nullopt if incomplete; logs the lines before it

  LogPtr log_;
  pid_t pid_ = -1;
  int toWorker_ = -1;
  int fromWorker_ = -1;
  int stack_ = -1;  // memory file to which the worker's signal handler writes its stack
  bool busy_ = false;
  std::optional<std::chrono::steady_clock::time_point> askedForStack_;
  double secondsAllowed_ = 0;  // the time limit when the stack was requested
  size_t peakMb_ = 0;          // peak resident size of a process that has ended
  Limits limits_;              // from the last give() or enforce()
  std::vector<std::string> history_;
  std::string task_;
  std::string received_;
  std::chrono::steady_clock::time_point started_;   // of the task, later by the time that it was stopped
  std::chrono::steady_clock::time_point lastLook_;  // of the limits
};

// Installs handlers that write the stack to the descriptor on a fatal signal. Call it in the worker process.
void writeStacksTo(int descriptor);

}  // namespace fuser::fuzz
