#pragma once
// Planted faults: bugs of a compiler, put in by an observer that edits what a stage made, to see whether the harness
// catches them. A case names one with `option fault = "name"`, so that it replays and minimises like any other.

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

// One fault, in the compilations and runs that it observes: those of segments with a cache of their own, too.
class PlantedFault : public CompileObserver {
 public:
  explicit PlantedFault(FaultStage stage) : stage_(stage) {}
  FaultStage stage() const { return stage_; }
  // False where kernels are faulty: what their verifier finds is not what the harness is measured by.
  bool verifyKernels() const { return stage_ != FaultStage::Schedule && stage_ != FaultStage::Kernel; }
  // Whether there was a place for it so far.
  bool applied() const { return applied_; }

  void beforeSegmentCache(const Fusion& part, CacheSettings& inner) final;

 protected:
  void note(bool applied) { applied_ |= applied; }

 private:
  const FaultStage stage_;
  bool applied_ = false;
};

// For one FusionExecutorCache, which it outlives: what one remembers between runs is of that cache. It stands before
// whoever looks at what it edits. A UserError lists the known names for an unknown one.
std::unique_ptr<PlantedFault> plantFault(std::string_view name);

}  // namespace fuser::fuzz
