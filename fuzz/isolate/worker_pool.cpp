// The supervisor's loop: gives tasks, collects replies, replaces the dead.

#include "fuzz/isolate/worker_pool.h"

#include <poll.h>
#include <signal.h>

#include <memory>
#include <vector>

#include "fuser/support/check.h"
#include "fuzz/isolate/worker.h"

namespace fuser::fuzz {

WorkerPool::WorkerPool(int jobs, LimitsOf limitsOf, Work work)
    : jobs_(jobs), limitsOf_(std::move(limitsOf)), work_(std::move(work)) {
  FUSER_USER_CHECK(jobs >= 1 && jobs <= 1024, "the number of workers is 1 to 1024, not ", jobs);
}

void WorkerPool::run(const std::function<std::optional<std::string>()>& next,
                     const std::function<void(const Outcome&)>& done) const {
  signal(SIGPIPE, SIG_IGN);  // a dead worker shows as the end of its replies
  constexpr int kPollMilliseconds = 50;
  std::vector<std::unique_ptr<Worker>> workers(static_cast<size_t>(jobs_));
  bool more = true;
  while (true) {
    std::vector<pollfd> waiting;
    std::vector<Worker*> busy;
    for (std::unique_ptr<Worker>& worker : workers) {
      if (more && (!worker || !worker->busy())) {
        const std::optional<std::string> task = next();
        more = task.has_value();
        if (task) {
          if (!worker || worker->dead()) worker = std::make_unique<Worker>(work_);
          worker->give(*task);
        }
      }
      if (!worker || !worker->busy()) continue;
      waiting.push_back({worker->replyDescriptor(), POLLIN, 0});
      busy.push_back(worker.get());
    }
    if (busy.empty()) return;
    poll(waiting.data(), waiting.size(), kPollMilliseconds);
    for (size_t i = 0; i < busy.size(); ++i) {
      std::optional<Outcome> outcome;
      if (waiting[i].revents != 0) outcome = busy[i]->receive();
      if (!outcome) outcome = busy[i]->enforce(limitsOf_(busy[i]->task()));
      if (outcome) done(*outcome);
    }
  }
}

Outcome runAlone(const std::string& task, const Limits& limits, const WorkerPool::Work& work) {
  Outcome result;
  bool given = false;
  WorkerPool(1, limits, work)
      .run(
          [&]() -> std::optional<std::string> {
            if (given) return std::nullopt;
            given = true;
            return task;
          },
          [&](const Outcome& outcome) { result = outcome; });
  return result;
}

}  // namespace fuser::fuzz
