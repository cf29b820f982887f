#pragma once
// What of a target is guilty of a finding: the views that show it, and the switch without which it is gone, or at least
// the program is refused.

#include <functional>
#include <string>
#include <vector>

#include "fuzz/compilers/target_workers.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

struct Guilt {
  // A switch's name: "ConstantFolding"; "Expand and Pad": none of them alone; else the views that show it: "every
  // view", "the views all, extended".
  std::string name;
  std::string detail;  // a sentence on the views, one on the switch
  bool isSwitch = false;
};

// Of a request and what comes of it.
using JudgeRequest = std::function<VerdictKind(ViewWorker&, const WorkerRequest&)>;

// shown: the view with the finding, of this kind. Asks each view, then this one with its switches off one by one.
Guilt guiltOf(VerdictKind kind, ViewWorker& shown, TargetWorkers& workers, const WorkerRequest& request,
              const JudgeRequest& judge);

}  // namespace fuser::fuzz
