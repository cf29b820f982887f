#pragma once
// WorkerPool: tasks run in forked processes, so that a crash, a hang or a memory blow-up costs one task. A worker takes
// one task at a time over a pipe and lives until it dies, has done its share of tasks, or the pool ends; what dies is
// replaced.
//
// What the surroundings do not give is no outcome: a process that cannot be started, and whatever `work` throws as a
// SetUpError, std::bad_alloc or std::system_error, ends run() with a SetUpError, in the supervisor.
//
// Workers fork in run(), never before, and share no memory with the supervisor afterwards: `work` sees the state at
// that time, and no file that the supervisor has open but the standard ones. They leave Ctrl-C,
// a hang-up and SIGUSR1 to the supervisor, and die with it. What they log goes over the pipe, and the supervisor writes
// it: so lines of several workers never mix, the last lines of one that dies arrive, and no worker holds the log's
// file.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuser/log/log.h"

namespace fuser::fuzz {

struct Limits {
  double seconds = 60;       // of one task
  size_t residentMb = 4096;  // resident size of a worker, in MiB
};

enum class Ending : uint8_t { Finished, Crashed, TimedOut, OutOfMemory };

struct Outcome {
  std::string task;
  Ending ending = Ending::Finished;
  std::string reply;   // of `work`, when it finished
  std::string detail;  // otherwise: the signal or the limit, and the symbolised stack
  double seconds = 0;
  // Ended by a signal that neither the task nor a limit of ours sent: a person, or the kernel for want of memory, while
  // the process was below its own limit. Its ending is OutOfMemory.
  bool fromOutside = false;
};

// A SetUpError where a process was ended from outside: that says nothing about its task, and is no verdict.
void checkNotFromOutside(const Outcome& outcome);

// What a worker is given.
struct PoolTask {
  std::string text;
  bool fresh = false;  // in a process that has done nothing yet
  PoolTask(std::string text) : text(std::move(text)) {}
  PoolTask(std::string text, bool fresh) : text(std::move(text)), fresh(fresh) {}
};

// Where tasks come from and outcomes go.
class TaskSource {
 public:
  virtual ~TaskSource() = default;
  // Nothing: nothing now. It is asked again after an outcome; the pool ends when no task runs and there is none.
  virtual std::optional<PoolTask> next() = 0;
  // In order of completion. history: what the task's process had done before it. The stack in `detail` is not
  // symbolised yet: that takes long, and workers would wait for their next task meanwhile (withSymbols).
  virtual void done(const Outcome& outcome, const std::vector<std::string>& history) = 0;
  // Once a turn of the loop: after each outcome, and at least every 50 ms.
  virtual void turn() {}
};

class WorkerPool {
 public:
  using Work = std::function<std::string(const std::string& task)>;
  // log: of the worker, at the level of the pool's; null where the pool has none. Its lines reach the pool's log with
  // the first line of the task before them: "case 17: DeadCodePass: unchanged". It belongs to this process: work that
  // forks gives its processes a pool's log of their own, or none.
  using LoggingWork = std::function<std::string(const std::string& task, spdlog::logger* log)>;
  using LimitsOf = std::function<Limits(const std::string& task)>;
  // tasksPerWorker: after so many a worker is replaced, so that its history stays short; 0: never.
  WorkerPool(int jobs, LimitsOf limitsOf, Work work, size_t tasksPerWorker = 0);
  WorkerPool(int jobs, Limits limits, Work work)
      : WorkerPool(jobs, [limits](const std::string&) { return limits; }, std::move(work)) {}
  // log: where lines of workers go; may be null.
  WorkerPool(int jobs, LimitsOf limitsOf, LoggingWork work, LogPtr log, size_t tasksPerWorker = 0);

  void run(TaskSource& source) const;
  // Runs what `next` gives until it gives nothing and all is done. `done` is called in order of completion, with
  // symbolised stacks.
  void run(const std::function<std::optional<PoolTask>()>& next, const std::function<void(const Outcome&)>& done) const;

 private:
  int jobs_;
  LimitsOf limitsOf_;
  LoggingWork work_;
  LogPtr log_;
  size_t tasksPerWorker_;
};

// One task in a fresh process.
Outcome runAlone(const std::string& task, const Limits& limits, const WorkerPool::Work& work);
Outcome runAlone(const std::string& task, const Limits& limits, const WorkerPool::LoggingWork& work, const LogPtr& log);

// Stacks as glibc's backtrace_symbols_fd writes them, with functions, files and lines where addr2line knows them. Each
// address is looked up once: that takes long, and what dies often dies in the same places.
class Symboliser {
 public:
  // A SetUpError where addr2line is not there.
  static void check();
  // The first line of a detail as it is, the frames below it symbolised. A SetUpError where that cannot be tried: a
  // stack without names would be another bucket.
  std::string withSymbols(const std::string& detail);

 private:
  std::string symbolise(const std::string& frames);
  void lookUp(const std::string& module, const std::vector<std::string>& offsets);

  std::map<std::pair<std::string, std::string>, std::string> known_;  // lines by module and offset; "": nobody knows
};

// With a Symboliser of its own.
std::string withSymbols(const std::string& detail);

}  // namespace fuser::fuzz
