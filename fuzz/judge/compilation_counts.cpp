#include "fuzz/judge/compilation_counts.h"

#include <string>

#include "fuser/analysis/segment_decisions.h"
#include "fuser/passes/pre_segmenter.h"
#include "fuser/segment/named_counts.h"

namespace fuser::fuzz {

void DecisionCounter::afterPass(std::string_view pass, const Fusion&, bool modified) {
  if (modified && pass != PreSegmenter::name()) ++verdict_.passes[std::string(pass)];
}

void DecisionCounter::afterDecisions(const SegmentDecisions& decisions) {
  for (const auto& [decision, count] : namedCounts(decisions.counters())) {
    if (count > 0) verdict_.decisions[decision] += count;
  }
}

std::optional<oracle::InvariantStage> faultyStage(FaultStage stage) {
  switch (stage) {
    case FaultStage::Pass:
    case FaultStage::Report:
    case FaultStage::Fusion: return oracle::InvariantStage::Passes;
    case FaultStage::Segment: return oracle::InvariantStage::Segments;
    case FaultStage::Schedule: return oracle::InvariantStage::Schedules;
    case FaultStage::Kernel: return oracle::InvariantStage::Kernels;
    case FaultStage::Host: return oracle::InvariantStage::Host;
    case FaultStage::Launch:
    case FaultStage::Cache: return std::nullopt;
  }
  FUSER_CHECK(false, "bad FaultStage");
}

}  // namespace fuser::fuzz
