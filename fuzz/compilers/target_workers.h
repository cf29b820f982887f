#pragma once
// The processes of a target: one a view, and its control's. Each starts with its first request.

#include <memory>
#include <string>
#include <vector>

#include "fuzz/compilers/targets.h"
#include "fuzz/compilers/worker_process.h"

namespace fuser::fuzz {

struct ViewWorker {
  ViewWorker(TargetView itsView, const WorkerLimits& limits)
      : view(std::move(itsView)), process(view.command, limits) {}
  const TargetView view;
  WorkerProcess process;
};

struct TargetWorkers {
  std::vector<std::unique_ptr<ViewWorker>> views;  // the main view first
  std::unique_ptr<WorkerProcess> control;          // or null
};

}  // namespace fuser::fuzz
