#pragma once
// A second run of the same kernels on the same data, as users run it: a recorded run keeps all memory, so that no block
// is used for two tensors. Its bits are the first run's. Outputs made of sums by atomics are the exception: interp adds
// in the opposite order then, and what both runs give lies in the oracle's sets.

#include <span>
#include <string>

#include "fuser/analysis/compile_observer.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

// While `on`, lanes add atomically in interp's other order.
class OrderOfAdds final : public CompileObserver {
 public:
  void beforeLaunch(const Kernel& kernel, KernelArguments& arguments) override;
  bool on = false;
};

// While it lives, the cache's runs are second ones: without a record, and with the other order of adds.
class RunningAgain {
 public:
  RunningAgain(FusionExecutorCache& cache, OrderOfAdds& order);
  ~RunningAgain();
  RunningAgain(const RunningAgain&) = delete;
  RunningAgain& operator=(const RunningAgain&) = delete;

 private:
  FusionExecutorCache& cache_;
  OrderOfAdds& order_;
};

struct RunAgain {
  bool hasOtherBits = false;  // than the first run, as sums by atomics may have; judged by their sets
  VerdictKind kind = VerdictKind::Agrees;
  std::string reason, detail;  // of a finding
};

// `first` is the record of the first run on these inputs; `again`, of the second, holds its outputs alone.
RunAgain judgeAgain(const Fusion& fusion, std::span<const HostValue> inputs, const RunRecord& first, RunRecord again,
                    const oracle::JudgeOptions& options);

}  // namespace fuser::fuzz
