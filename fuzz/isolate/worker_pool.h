#pragma once
// WorkerPool: runs tasks in forked processes, so that a crash, a hang or a memory blow-up costs one task. A worker
// receives one task at a time over a pipe and lives until it dies, has completed its share of tasks, or the pool ends.
// A dead worker is replaced.
//
// Failures of the environment are not outcomes: if a process cannot be started, or `work` throws a SetUpError,
// std::bad_alloc or std::system_error, run() throws a SetUpError in the supervisor.
//
// Workers fork in run(), never before, and share no memory with the supervisor afterwards: `work` sees the state at
// that time and, of the supervisor's open files, only the standard streams. Workers ignore Ctrl-C, hang-ups and
// SIGUSR1, which the supervisor handles, and die with it. The supervisor writes their log lines, which arrive over the
// pipe, so that lines of several workers never mix, the last lines of a dying worker arrive, and no worker has the log
// file open.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuser/log/log.h"

namespace fuser::fuzz {

struct Limits {
  double seconds = 60;       // per task
  size_t residentMb = 4096;  // resident size of a worker, in MiB
};

enum class Ending : uint8_t { Finished, Crashed, TimedOut, OutOfMemory };

struct Outcome {
  std::string task;
  Ending ending = Ending::Finished;
  std::string reply;   // of `work`, if it finished
  std::string detail;  // otherwise: the signal or the limit, and the symbolised stack
  double seconds = 0;
  // Whether a signal from outside (a person, or the kernel's out-of-memory killer) ended the process while it was below
  // its own limit. The ending is then OutOfMemory.
  bool fromOutside = false;
};

// A SetUpError if the process was killed from outside, which is not a verdict on its task.
void checkNotFromOutside(const Outcome& outcome);

// The input of a worker.
struct PoolTask {
  std::string text;
  bool fresh = false;  // runs in a new process
  PoolTask(std::string text) : text(std::move(text)) {}
  PoolTask(std::string text, bool fresh) : text(std::move(text)), fresh(fresh) {}
};

// The source of tasks and the sink of their outcomes.
class TaskSource {
 public:
  virtual ~TaskSource() = default;
  // nullopt: no task now; next() is called again after an outcome. The pool ends when no task is running and next()
  // returns none.
  virtual std::optional<PoolTask> next() = 0;
  // Called in order of completion. `history`: the tasks that the process completed before. The stack in `detail` is not
  // symbolised yet (withSymbols), because that is slow and workers would wait for their next task.
  virtual void done(const Outcome& outcome, const std::vector<std::string>& history) = 0;
  // Called after each outcome, and at least every 50 ms.
  virtual void turn() {}
};

class WorkerPool {
 public:
  using Work = std::function<std::string(const std::string& task)>;
  // `log` is the worker's, with the level of the pool's log; null if the pool has none. Its lines reach the pool's log
  // prefixed with the first line of the task: "case 17: DeadCodePass: unchanged". It belongs to this process: work that
  // forks must not pass it on.
  using LoggingWork = std::function<std::string(const std::string& task, spdlog::logger* log)>;
  using LimitsOf = std::function<Limits(const std::string& task)>;
  // tasksPerWorker: a worker is replaced after this many tasks, so that its history stays short; 0: never.
  WorkerPool(int jobs, LimitsOf limitsOf, Work work, size_t tasksPerWorker = 0);
  WorkerPool(int jobs, Limits limits, Work work)
      : WorkerPool(jobs, [limits](const std::string&) { return limits; }, std::move(work)) {}
  // `log` gets the workers' lines; may be null.
  WorkerPool(int jobs, LimitsOf limitsOf, LoggingWork work, LogPtr log, size_t tasksPerWorker = 0);

  void run(TaskSource& source) const;
  // Runs tasks from `next` until it returns nullopt and all are complete. Calls `done` in order of completion, with
  // symbolised stacks.
  void run(const std::function<std::optional<PoolTask>()>& next, const std::function<void(const Outcome&)>& done) const;

 private:
  int jobs_;
  LimitsOf limitsOf_;
  LoggingWork work_;
  LogPtr log_;
  size_t tasksPerWorker_;
};

// Runs one task in a new process.
Outcome runAlone(const std::string& task, const Limits& limits, const WorkerPool::Work& work);
Outcome runAlone(const std::string& task, const Limits& limits, const WorkerPool::LoggingWork& work, const LogPtr& log);

// Adds functions, files and lines from addr2line to stacks of glibc's backtrace_symbols_fd. Each address is looked up
// once, because lookups are slow and crashes recur at the same addresses.
class Symboliser {
 public:
  // A SetUpError if addr2line is missing.
  static void check();
  // Keeps the first line of a detail and symbolises the frames below it. A SetUpError if addr2line cannot run, because
  // a stack without names would give another bucket.
  std::string withSymbols(const std::string& detail);

 private:
  std::string symbolise(const std::string& frames);
  void lookUp(const std::string& module, const std::vector<std::string>& offsets);

  std::map<std::pair<std::string, std::string>, std::string> known_;  // lines by module and offset; "": unknown
};

// The same with a temporary Symboliser.
std::string withSymbols(const std::string& detail);

}  // namespace fuser::fuzz
