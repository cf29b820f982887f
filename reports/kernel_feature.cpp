// The median of a histogram.

#include "reports/kernel_feature.h"

namespace reports {

int64_t segmentsOf(const KernelFeature& feature) {
  int64_t all = 0;
  for (const auto& [exprs, segments] : feature.segments) all += segments;
  return all;
}

int64_t medianExprs(const KernelFeature& feature) {
  const int64_t middle = (segmentsOf(feature) + 1) / 2;
  int64_t below = 0;
  for (const auto& [exprs, segments] : feature.segments) {
    below += segments;
    if (below >= middle) return exprs;
  }
  return 0;
}

}  // namespace reports
