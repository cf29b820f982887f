#pragma once
// Segmentations with their explanations, with the real schedulers or other ones.

#include <string>

#include "fuser/analysis/segment_decisions.h"
#include "fuser/analysis/stage_observers.h"
#include "fuser/schedule/schedule.h"
#include "tests/fuser/segment/fake_schedulers.h"

namespace fuser {

struct Explained : Segmented {
  SegmentCounters counters;
  std::string explanation;
};

inline Explained segmentWith(const std::string& text, const SchedulerInterface& schedulers,
                      const SegmentCandidateFinderOptions& options = {}) {
  Explained result;
  result.fusion = parseFusion(text);
  // As for a run in which every extent is 5: no axis is empty.
  SizeFacts sizes([](IntExpr size) { return evaluate(size, [](IntExpr) { return int64_t{1000}; }); });
  CompileContext context;
  context.schedulers = &schedulers;
  context.sizes = &sizes;
  context.checkInvariants = true;
  AfterDecisions explaining([&](const SegmentDecisions& decisions) {
    result.counters = decisions.counters();
    result.explanation = decisions.explanation();
  });
  context.observers = {&explaining};
  result.segments = segment(*result.fusion, context, options);
  return result;
}

inline Explained segmentReal(const std::string& text, const SegmentCandidateFinderOptions& options = {}) {
  return segmentWith(text, Schedulers(), options);
}

inline SegmentCandidateFinderOptions bottomUp() {
  SegmentCandidateFinderOptions options;
  options.topDown = false;
  return options;
}

// sum(…) across memory and what reads it again stay apart in the real schedulers.
inline std::string function(const std::string& inputs, const std::string& body) {
  return "fusion f(" + inputs + ") {\n" + body + "}\n";
}

}  // namespace fuser
