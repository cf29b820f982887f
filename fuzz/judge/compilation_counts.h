#pragma once
// What a case's compilations did, as counts of its verdict.

#include <optional>
#include <string_view>

#include "fuser/analysis/compile_observer.h"
#include "fuzz/faults/faults.h"
#include "fuzz/judge/judge_case.h"
#include "oracle/invariants/invariants.h"

namespace fuser::fuzz {

// Counts in how many compilations a pass changed the fusion, and what the segmenter decided.
class DecisionCounter final : public CompileObserver {
 public:
  explicit DecisionCounter(CaseVerdict& verdict) : verdict_(verdict) {}
  void afterPass(std::string_view pass, const Fusion&, bool modified) override;
  void afterDecisions(const SegmentDecisions& decisions) override;

 private:
  CaseVerdict& verdict_;
};

// The stage whose result the fault edits, where invariants look at it.
std::optional<oracle::InvariantStage> faultyStage(FaultStage stage);

}  // namespace fuser::fuzz
