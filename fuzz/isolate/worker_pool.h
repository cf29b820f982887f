#pragma once
// WorkerPool: tasks run in forked processes, so that a crash, a hang or a memory blow-up costs one task. A worker takes
// one task at a time over a pipe and lives until it dies or the pool ends; what dies is replaced.
//
// Workers fork in run(), never before, and share no memory with the supervisor afterwards: `work` sees the state at
// that time. They leave Ctrl-C to the supervisor, and die with it.

#include <functional>
#include <optional>
#include <string>

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
  std::string detail;  // otherwise: the signal, and the symbolised stack
  double seconds = 0;
};

class WorkerPool {
 public:
  using Work = std::function<std::string(const std::string& task)>;
  using LimitsOf = std::function<Limits(const std::string& task)>;
  WorkerPool(int jobs, LimitsOf limitsOf, Work work);
  WorkerPool(int jobs, Limits limits, Work work)
      : WorkerPool(jobs, [limits](const std::string&) { return limits; }, std::move(work)) {}

  // Runs what `next` gives until it gives nothing and all is done. `done` is called in order of completion.
  void run(const std::function<std::optional<std::string>()>& next,
           const std::function<void(const Outcome&)>& done) const;

 private:
  int jobs_;
  LimitsOf limitsOf_;
  Work work_;
};

// One task in a fresh process.
Outcome runAlone(const std::string& task, const Limits& limits, const WorkerPool::Work& work);

// The frames of a stack as glibc's backtrace_symbols_fd writes them, with functions, files and lines where addr2line
// knows them.
std::string symbolise(const std::string& frames);

}  // namespace fuser::fuzz
