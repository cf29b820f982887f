#pragma once
// Compiles a case for its first run, as judgeCase() does, for an observer that wants to see how.

#include <functional>
#include <vector>

#include "fuser/analysis/compile_observer.h"
#include "fuser/case/case.h"
#include "fuser/record/run_record.h"

namespace fuser::fuzz {

// A case as the compiler gets it: without updates, for the sizes of its first run.
struct FirstCompilation {
  const Case& concrete;
  const std::vector<HostValue>& inputs;
};

// Calls `begin` with what lives until the end, then compiles with the case's planted fault; `observer` comes after it.
// Ends with what the compiler or the observer throws; an observer that throws before the kernels run saves the run. A
// UserError if the case has no run.
void compileFirstRun(const Case& statements, CompileObserver& observer,
                     const std::function<void(const FirstCompilation&)>& begin);

}  // namespace fuser::fuzz
