// The list of faults, and how a fault of each stage becomes an observer.

#include "fuzz/faults/faults.h"

#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/segment/unchecked_segments.h"
#include "fuser/support/similar_name.h"
#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz {
namespace {

constexpr FaultInfo kFaults[] = {
#define FAULT(function, name, stage, summary, file) {name, FaultStage::stage, summary},
#include "fuzz/faults/faults.def"
#undef FAULT
};

// Faults by stage: `plant` is the function of the fault's line.
class FaultOfPass : public PlantedFault {
 public:
  using Plant = bool (*)(std::string_view, Fusion&, bool&);
  explicit FaultOfPass(Plant plant, FaultStage stage = FaultStage::Pass) : PlantedFault(stage), plant_(plant) {}
  void afterApplication(std::string_view pass, Fusion& fusion, bool& modified) override {
    note(plant_(pass, fusion, modified));
  }

 private:
  Plant plant_;
};

class FaultOfReport final : public FaultOfPass {
 public:
  explicit FaultOfReport(Plant plant) : FaultOfPass(plant, FaultStage::Report) {}
};

class FaultOfFusion final : public PlantedFault {
 public:
  using Plant = bool (*)(Fusion&);
  explicit FaultOfFusion(Plant plant) : PlantedFault(FaultStage::Fusion), plant_(plant) {}
  void afterPasses(Fusion& fusion) override { note(plant_(fusion)); }

 private:
  Plant plant_;
};

class FaultOfSegment final : public PlantedFault {
 public:
  using Plant = bool (*)(const SegmentedFusion&, SegmentsText&);
  explicit FaultOfSegment(Plant plant) : PlantedFault(FaultStage::Segment), plant_(plant) {}
  void afterSegment(std::unique_ptr<SegmentedFusion>& segmented) override {
    SegmentsText text = segmentsText(*segmented);
    if (!plant_(*segmented, text)) return;
    note(true);
    segmented = parseUnchecked(toString(text), segmented->completeFusion());
  }

 private:
  Plant plant_;
};

class FaultOfSchedule final : public PlantedFault {
 public:
  using Plant = bool (*)(Fusion&);
  explicit FaultOfSchedule(Plant plant) : PlantedFault(FaultStage::Schedule), plant_(plant) {}
  void afterApplySchedule(int, Fusion& part) override { note(plant_(part)); }

 private:
  Plant plant_;
};

class FaultOfKernel final : public PlantedFault {
 public:
  using Plant = bool (*)(Kernel&);
  explicit FaultOfKernel(Plant plant) : PlantedFault(FaultStage::Kernel), plant_(plant) {}
  void afterLower(int, Kernel& kernel) override { note(plant_(kernel)); }

 private:
  Plant plant_;
};

class FaultOfHost final : public PlantedFault {
 public:
  using Plant = bool (*)(HostIrContainer&);
  explicit FaultOfHost(Plant plant) : PlantedFault(FaultStage::Host), plant_(plant) {}
  void afterHost(HostIrContainer& program) override { note(plant_(program)); }

 private:
  Plant plant_;
};

class FaultOfLaunch final : public PlantedFault {
 public:
  explicit FaultOfLaunch(LaunchFault (*make)()) : PlantedFault(FaultStage::Launch), plant_(make()) {}
  void beforeLaunch(const Kernel& kernel, KernelArguments& arguments) override { note(plant_(kernel, arguments)); }

 private:
  LaunchFault plant_;
};

template <class OfStage, class Plant>
std::unique_ptr<PlantedFault> makeFault(Plant plant) {
  return std::make_unique<OfStage>(plant);
}

struct FaultOfCache {};  // its function makes the observer
template <>
std::unique_ptr<PlantedFault> makeFault<FaultOfCache>(std::unique_ptr<PlantedFault> (*make)()) {
  return make();
}

}  // namespace

void PlantedFault::beforeSegmentCache(const Fusion&, CacheSettings& inner) { inner.context.observers.push_back(this); }

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

std::unique_ptr<PlantedFault> plantFault(std::string_view name) {
#define FAULT(function, text, stage, summary, file) \
  if (name == text) return makeFault<FaultOf##stage>(faults::function);
#include "fuzz/faults/faults.def"
#undef FAULT
  std::vector<std::string_view> known;
  for (const FaultInfo& fault : kFaults) known.push_back(fault.name);
  throwUserError(
      concat("no fault is called '", name, "'", didYouMean(name, known), "; fuserfuzz selftest --list prints all"));
}

}  // namespace fuser::fuzz
