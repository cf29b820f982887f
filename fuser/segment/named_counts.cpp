#include "fuser/segment/named_counts.h"

#include <algorithm>

#include "fuser/segment/merging.h"

namespace fuser {

std::vector<std::pair<std::string, int64_t>> namedCounts(const SegmentCounters& counters) {
  std::vector<std::pair<std::string, int64_t>> counts = {
      {"parts accepted whole", static_cast<int64_t>(counters.accepted)},
      {"parts split into ops", static_cast<int64_t>(counters.pieces - counters.accepted)},
      {"segment_sets that separate kernels", static_cast<int64_t>(counters.cutSegmentSets)},
      {"segment_sets that do not separate kernels", static_cast<int64_t>(counters.uncutSegmentSets)},
      {"ops on inputs forwarded to their readers", static_cast<int64_t>(counters.forwarded)},
      {"ops copied into their readers", static_cast<int64_t>(counters.privatized)},
      {"copies undone", static_cast<int64_t>(counters.privatizationsUndone)},
      {"copies whose readers merged", static_cast<int64_t>(counters.privatizationsMerged)},
      {"values narrowed between kernels", static_cast<int64_t>(counters.narrowed)},
  };
  for (const MergeRule& rule : mergeRules()) {
    const auto found = std::find_if(counters.merges.begin(), counters.merges.end(),
                                    [&](const auto& merges) { return merges.first == rule.name; });
    const size_t merges = found == counters.merges.end() ? 0 : found->second;
    counts.emplace_back(concat("merged by ", rule.name), static_cast<int64_t>(merges));
  }
  return counts;
}

}  // namespace fuser
