#pragma once
// Random legal schedules: what the schedulers choose for a case, changed at random within the rules that lowering
// relies on (fuser/schedule/check.cpp). The answer must not change.

#include <cstdint>
#include <map>
#include <optional>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// A schedule for each segment of the case's first run that could be changed, by the segment's number. Draws until one
// is legal, a few times; none where no draw is, where the case has schedules of its own, or where nothing is scheduled.
std::optional<std::map<int64_t, Schedule>> randomSchedules(const Case& testCase, uint64_t draw);

// One random change of a schedule: another split factor, one split more, two axes swapped, or another parallel type.
// The same draw gives the same change.
Schedule varied(const Schedule& schedule, uint64_t draw);

}  // namespace fuser::fuzz
