#pragma once
// KernelFeature: how often a campaign's kernels had a feature of the back end (fuzz/judge/kernel_features.h), and how
// long the segments are that had it.

#include <cstdint>
#include <map>

#include "reports/fields.h"

namespace reports {

struct KernelFeature {
  int64_t cases = 0;                    // with a kernel that has it, in their own build or in a view
  std::map<int64_t, int64_t> segments;  // number of tensor expressions -> segments that have it
  std::map<int64_t, int64_t> largest;   // the same of the largest such segment of each case -> cases
  bool operator==(const KernelFeature&) const = default;
};
REPORTS_FIELDS(KernelFeature, cases, segments, largest)

// How many there are in a histogram, and their median, the lower one of two; 0 of none.
int64_t countOf(const std::map<int64_t, int64_t>& histogram);
int64_t medianOf(const std::map<int64_t, int64_t>& histogram);

}  // namespace reports
