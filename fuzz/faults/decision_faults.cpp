// Faults in what a run decides about the fusion that is compiled for it.

#include <optional>

#include "fuser/evaluate/run_decisions.h"
#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz::faults {
namespace {

class PlantedInDecisions : public PlantedFault {
 public:
  PlantedInDecisions() : PlantedFault(FaultStage::Cache) {}
};

class TakeOtherSide final : public PlantedInDecisions {
 public:
  void beforeConcretize(const Fusion&, RunDecisions& decisions) override {
    if (decisions.branches.empty()) return;
    bool& holds = decisions.branches.back().second;
    holds = !holds;
    note(true);
  }
};

class KeepDecisions final : public PlantedInDecisions {
 public:
  void beforeConcretize(const Fusion& fusion, RunDecisions& decisions) override {
    if (fusion_ != &fusion) first_.reset();
    fusion_ = &fusion;
    if (!first_) first_ = decisions;
    note(*first_ != decisions);
    decisions = *first_;
  }

 private:
  const Fusion* fusion_ = nullptr;
  std::optional<RunDecisions> first_;
};

}  // namespace

std::unique_ptr<PlantedFault> takeOtherSide() { return std::make_unique<TakeOtherSide>(); }
std::unique_ptr<PlantedFault> keepDecisions() { return std::make_unique<KeepDecisions>(); }

}  // namespace fuser::fuzz::faults
