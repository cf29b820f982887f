#pragma once
// namedCounts: the segmenter's counters with the names that reports print, in a fixed order, so that reports line up.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fuser/analysis/segment_decisions.h"

namespace fuser {

// Returns (name, count) for every decision, including zeros, in this order: top-down pieces, cuts, forwarding,
// privatization, narrowing, then merges per rule of merge_rules.def ("merged by SiblingMerges").
std::vector<std::pair<std::string, int64_t>> namedCounts(const SegmentCounters& counters);

}  // namespace fuser
