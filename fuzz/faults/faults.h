#pragma once
// Planted faults: bugs of a compiler, put in through CompileHooks, to see whether the harness catches them. A case
// names one with `option fault = "name"`, so that it replays, minimises and campaigns like any other.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fuser/runtime/fusion_executor_cache.h"

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

struct PlantedFault {
  CompileHooks hooks;
  // False where kernels are faulty: what the verifier of kernels finds is not what the harness is measured by.
  bool verifyKernels = true;
  // Whether there was a place for it so far, in any compilation or run with these hooks.
  std::shared_ptr<const bool> applied;
};

// For one FusionExecutorCache: what a fault remembers between runs must not outlive it. A UserError lists the known
// names for an unknown one.
PlantedFault plantFault(std::string_view name);

}  // namespace fuser::fuzz
