// The median of a histogram.

#include "reports/kernel_feature.h"

namespace reports {

int64_t countOf(const std::map<int64_t, int64_t>& histogram) {
  int64_t all = 0;
  for (const auto& [value, count] : histogram) all += count;
  return all;
}

int64_t medianOf(const std::map<int64_t, int64_t>& histogram) {
  const int64_t middle = (countOf(histogram) + 1) / 2;
  int64_t below = 0;
  for (const auto& [value, count] : histogram) {
    below += count;
    if (below >= middle) return value;
  }
  return 0;
}

}  // namespace reports
