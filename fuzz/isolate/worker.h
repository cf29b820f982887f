#pragma once
// The process side of a worker: how it is started, spoken to and watched.

#include <sys/types.h>

#include <chrono>
#include <string>

#include "fuzz/isolate/worker_pool.h"

namespace fuser::fuzz {

class Worker {
 public:
  explicit Worker(const WorkerPool::Work& work);  // forks
  ~Worker();                                      // kills what still runs
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void give(const std::string& task);
  bool busy() const { return busy_; }
  const std::string& task() const { return task_; }
  int replyDescriptor() const { return fromWorker_; }

  // Reads what is there. An outcome when the task is done, or the worker has died.
  std::optional<Outcome> receive();
  // An outcome when a limit is passed: the worker is killed then.
  std::optional<Outcome> enforce(const Limits& limits);
  bool dead() const { return pid_ < 0; }

 private:
  double elapsed() const;
  std::string readStack() const;
  int end();  // waits; the wait status
  Outcome finish(Ending ending, std::string detail);

  pid_t pid_ = -1;
  int toWorker_ = -1;
  int fromWorker_ = -1;
  int stack_ = -1;  // memory file that the worker's signal handler writes its stack to
  bool busy_ = false;
  std::string task_;
  std::string received_;
  std::chrono::steady_clock::time_point started_;
};

// Installs the handlers that write the stack of a fatal signal to the descriptor. For the worker process.
void writeStacksTo(int descriptor);

}  // namespace fuser::fuzz
