#pragma once
// What the segmenter did, as names with counts: for explanations and reports.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fuser/analysis/segment_decisions.h"

namespace fuser {

// Every decision that is counted, 0 included, always in this order: top-down, cuts, forwarding, privatisation,
// narrowing, then merges by rule ("merged by SiblingMerges").
std::vector<std::pair<std::string, int64_t>> namedCounts(const SegmentCounters& counters);

}  // namespace fuser
