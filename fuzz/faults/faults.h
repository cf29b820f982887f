#pragma once
// Planted faults: simulated compiler bugs that measure whether the harness catches them. An observer edits a stage's
// result. A case names its fault with `option fault = "name"`, so that it replays and minimizes like any other.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fuser/analysis/compile_observer.h"

namespace fuser::fuzz {

enum class FaultStage : uint8_t { Pass, Report, Fusion, Segment, Schedule, Kernel, Host, Launch, Cache };
std::string_view faultStageName(FaultStage stage);  // "kernel"

struct FaultInfo {
  std::string_view name;  // "dropped-predicate"
  FaultStage stage;
  std::string_view summary;
};
// In the order of faults.def.
std::span<const FaultInfo> allFaults();

// Plants one fault in the compilations and runs that it observes, including those of segments with their own cache.
class PlantedFault : public CompileObserver {
 public:
  explicit PlantedFault(FaultStage stage) : stage_(stage) {}
  FaultStage stage() const { return stage_; }
  // False for faults in kernels: a finding of the kernel verifier does not count as caught.
  bool verifyKernels() const { return stage_ != FaultStage::Schedule && stage_ != FaultStage::Kernel; }
  // Whether the fault was applied at least once.
  bool applied() const { return applied_; }

  void beforeSegmentCache(const Fusion& part, CacheSettings& inner) final;

 protected:
  void note(bool applied) { applied_ |= applied; }

 private:
  const FaultStage stage_;
  bool applied_ = false;
};

// Creates the fault for one FusionExecutorCache. It must outlive the cache, because a fault may keep state between
// runs. Add it before observers that read what it edits. A UserError for an unknown name.
std::unique_ptr<PlantedFault> plantFault(std::string_view name);

}  // namespace fuser::fuzz
