#pragma once
// Random legal schedules: those that the schedulers choose for a case, changed at random within the rules that lowering
// relies on (fuser/schedule/check.cpp). The results of the case must not change.

#include <cstdint>
#include <map>
#include <optional>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// Random schedules for segments of the case's first run, by segment number; segments without a change are left out. At
// most 8 draws; nullopt if none is legal, or the case has no runs, has probes or schedules, or schedules nothing.
std::optional<std::map<int64_t, Schedule>> randomSchedules(const Case& testCase, uint64_t draw);

// Makes one random change: another split factor, an additional split, two axes swapped, or another parallel type.
// The same draw gives the same change.
Schedule varied(const Schedule& schedule, uint64_t draw);

}  // namespace fuser::fuzz
