#pragma once
// EdgeCount: how often a campaign's runs had a size at an edge of the schedules that were chosen for them (fuzz/edges).

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "reports/fields.h"

namespace reports {

struct EdgeCount {
  int64_t cases = 0;                     // with a run that meets an edge of the kind
  int64_t below = 0, at = 0, above = 0;  // runs: one below, at, one above
  int64_t outOfReach = 0;                // cases in which such edges were tried, and no size in budget meets one
  bool operator==(const EdgeCount&) const = default;
};
REPORTS_FIELDS(EdgeCount, cases, below, at, above, outOfReach)

// The runs on each side, by the side's name.
inline std::array<std::pair<std::string, int64_t>, 3> sidesOf(const EdgeCount& count) {
  return {{{"below", count.below}, {"at", count.at}, {"above", count.above}}};
}

}  // namespace reports
