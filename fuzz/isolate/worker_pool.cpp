// The supervisor's loop: gives tasks, collects replies, replaces the dead.

#include "fuzz/isolate/worker_pool.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <memory>

#include "fuser/support/set_up_error.h"
#include "fuzz/isolate/worker.h"

namespace fuser::fuzz {
namespace {

// The simple form of run().
class Functions : public TaskSource {
 public:
  Functions(const std::function<std::optional<PoolTask>()>& next, const std::function<void(const Outcome&)>& done)
      : next_(next), done_(done) {}

  std::optional<PoolTask> next() override {
    if (!more_) return std::nullopt;
    std::optional<PoolTask> task = next_();
    more_ = task.has_value();
    return task;
  }

  void done(const Outcome& outcome, const std::vector<std::string>&) override {
    Outcome readable = outcome;
    readable.detail = withSymbols(outcome.detail);
    done_(readable);
  }

 private:
  const std::function<std::optional<PoolTask>()>& next_;
  const std::function<void(const Outcome&)>& done_;
  bool more_ = true;
};

}  // namespace

WorkerPool::WorkerPool(int jobs, LimitsOf limitsOf, Work work, size_t tasksPerWorker)
    : WorkerPool(
          jobs, std::move(limitsOf),
          [work = std::move(work)](const std::string& task, spdlog::logger*) { return work(task); }, nullptr,
          tasksPerWorker) {}

WorkerPool::WorkerPool(int jobs, LimitsOf limitsOf, LoggingWork work, LogPtr log, size_t tasksPerWorker)
    : jobs_(jobs),
      limitsOf_(std::move(limitsOf)),
      work_(std::move(work)),
      log_(std::move(log)),
      tasksPerWorker_(tasksPerWorker) {
  FUSER_USER_CHECK(jobs >= 1 && jobs <= 1024, "the number of workers is 1 to 1024, not ", jobs);
}

void WorkerPool::run(TaskSource& source) const {
  signal(SIGPIPE, SIG_IGN);  // a dead worker shows as the end of its replies
  constexpr int kPollMilliseconds = 50;
  std::vector<std::unique_ptr<Worker>> workers(static_cast<size_t>(jobs_));
  const auto mustBeReplaced = [&](const std::unique_ptr<Worker>& worker, const PoolTask& task) {
    if (!worker || worker->dead()) return true;
    const size_t done = worker->history().size();
    return (task.fresh && done > 0) || (tasksPerWorker_ > 0 && done >= tasksPerWorker_);
  };
  while (true) {
    std::vector<pollfd> waiting;
    std::vector<Worker*> busy;
    for (std::unique_ptr<Worker>& worker : workers) {
      if (!worker || !worker->busy()) {
        if (const std::optional<PoolTask> task = source.next()) {
          if (mustBeReplaced(worker, *task)) {
            worker.reset();  // the old one ends first
            worker = std::make_unique<Worker>(work_, log_);
          }
          worker->give(task->text, limitsOf_(task->text));
        }
      }
      if (!worker || !worker->busy()) continue;
      waiting.push_back({worker->replyDescriptor(), POLLIN, 0});
      busy.push_back(worker.get());
    }
    source.turn();
    if (busy.empty()) return;
    poll(waiting.data(), waiting.size(), kPollMilliseconds);
    for (size_t i = 0; i < busy.size(); ++i) {
      std::optional<Outcome> outcome;
      if (waiting[i].revents != 0) outcome = busy[i]->receive();
      if (!outcome) outcome = busy[i]->enforce(limitsOf_(busy[i]->task()));
      if (!outcome) continue;
      source.done(*outcome, busy[i]->history());
      busy[i]->remember();
    }
  }
}

void WorkerPool::run(const std::function<std::optional<PoolTask>()>& next,
                     const std::function<void(const Outcome&)>& done) const {
  Functions functions(next, done);
  run(functions);
}

void checkNotFromOutside(const Outcome& outcome) {
  FUSER_SET_UP_CHECK(!outcome.fromOutside, "the process of '",
                     outcome.task.substr(0, std::min<size_t>(outcome.task.find('\n'), 80)),
                     "' was ended from outside (", outcome.detail.substr(0, outcome.detail.find('\n')),
                     "): by a person, or by the kernel for want of memory");
}

Outcome runAlone(const std::string& task, const Limits& limits, const WorkerPool::Work& work) {
  return runAlone(
      task, limits, [&work](const std::string& text, spdlog::logger*) { return work(text); }, nullptr);
}

Outcome runAlone(const std::string& task, const Limits& limits, const WorkerPool::LoggingWork& work,
                 const LogPtr& log) {
  Outcome result;
  bool handedOut = false;
  WorkerPool(
      1, [limits](const std::string&) { return limits; }, work, log)
      .run(
          [&]() -> std::optional<PoolTask> {
            if (handedOut) return std::nullopt;
            handedOut = true;
            return task;
          },
          [&](const Outcome& outcome) { result = outcome; });
  return result;
}

}  // namespace fuser::fuzz
