// The list of faults, and how a fault of each stage becomes hooks.

#include "fuzz/faults/faults.h"

#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz {
namespace {

constexpr FaultInfo kFaults[] = {
#define FAULT(function, name, stage, summary, file) {name, FaultStage::stage, summary},
#include "fuzz/faults/faults.def"
#undef FAULT
};

using Applied = std::shared_ptr<bool>;

template <class Plant>
CompileHooks hooksForPass(Plant plant, Applied applied) {
  CompileHooks hooks;
  hooks.afterApplication = [=](const std::string& pass, Fusion& fusion, bool& modified) {
    *applied |= plant(pass, fusion, modified);
  };
  return hooks;
}

template <class Plant>
CompileHooks hooksForReport(Plant plant, Applied applied) {
  return hooksForPass(plant, applied);
}

template <class Plant>
CompileHooks hooksForFusion(Plant plant, Applied applied) {
  CompileHooks hooks;
  hooks.afterPasses = [=](Fusion& fusion) { *applied |= plant(fusion); };
  return hooks;
}

template <class Plant>
CompileHooks hooksForSegment(Plant plant, Applied applied) {
  CompileHooks hooks;
  hooks.replaceSegments = [=](const SegmentedFusion& segmented) -> std::unique_ptr<SegmentedFusion> {
    SegmentsText text = segmentsText(segmented);
    if (!plant(segmented, text)) return nullptr;
    *applied = true;
    return parseSegmentedFusion(toString(text), segmented.completeFusion(), false);
  };
  return hooks;
}

template <class Plant>
CompileHooks hooksForSchedule(Plant plant, Applied applied) {
  CompileHooks hooks;
  hooks.afterApplySchedule = [=](int, Fusion& part) { *applied |= plant(part); };
  return hooks;
}

template <class Plant>
CompileHooks hooksForKernel(Plant plant, Applied applied) {
  CompileHooks hooks;
  hooks.afterLower = [=](int, Kernel& kernel) { *applied |= plant(kernel); };
  return hooks;
}

template <class Plant>
CompileHooks hooksForHost(Plant plant, Applied applied) {
  CompileHooks hooks;
  hooks.afterHost = [=](HostIrContainer& program) { *applied |= plant(program); };
  return hooks;
}

template <class Make>
CompileHooks hooksForLaunch(Make make, Applied applied) {
  CompileHooks hooks;
  hooks.beforeLaunch = [=, plant = make()](const Kernel& kernel, KernelArguments& arguments) {
    *applied |= plant(kernel, arguments);
  };
  return hooks;
}

template <class Make>
CompileHooks hooksForCache(Make make, Applied applied) {
  return make(applied);
}

}  // namespace

std::string_view faultStageName(FaultStage stage) {
  switch (stage) {
    case FaultStage::Pass: return "pass";
    case FaultStage::Report: return "report";
    case FaultStage::Fusion: return "fusion";
    case FaultStage::Segment: return "segment";
    case FaultStage::Schedule: return "schedule";
    case FaultStage::Kernel: return "kernel";
    case FaultStage::Host: return "host";
    case FaultStage::Launch: return "launch";
    case FaultStage::Cache: return "cache";
  }
  FUSER_CHECK(false, "bad FaultStage");
}

std::span<const FaultInfo> allFaults() { return kFaults; }

PlantedFault plantFault(std::string_view name) {
  const auto applied = std::make_shared<bool>(false);
#define FAULT(function, text, stage, summary, file)                                                \
  if (name == text) {                                                                              \
    constexpr bool verify = FaultStage::stage != FaultStage::Kernel && FaultStage::stage != FaultStage::Schedule; \
    return {hooksFor##stage(faults::function, applied), verify, applied};                          \
  }
#include "fuzz/faults/faults.def"
#undef FAULT
  std::string known;
  for (const FaultInfo& fault : kFaults) known += concat(known.empty() ? "" : ", ", fault.name);
  throwUserError(concat("no fault is called '", name, "'; known: ", known));
}

}  // namespace fuser::fuzz
