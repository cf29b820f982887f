#pragma once
// Random legal schedules of a case's segments (drawn_schedule.h). The results of the case must not change.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// How many segments had a schedule drawn, why the first ones that were refused were, and how many steps of a drawn one
// its scheduler's list lacks.
struct DrawCounts {
  size_t segments = 0;
  std::vector<size_t> changes;
  std::vector<std::string> refused;
};

// Random schedules for segments of the case's first run, by segment number; segments without a change are left out. At
// most 4 draws for one segment, 16 for a case; nullopt if none is legal, or the case has no runs, has probes or
// schedules, or schedules nothing.
std::optional<std::map<int64_t, Schedule>> randomSchedules(const Case& testCase, uint64_t draw,
                                                           DrawCounts* counts = nullptr);

}  // namespace fuser::fuzz
