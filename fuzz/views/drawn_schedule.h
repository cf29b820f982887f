#pragma once
// Random schedules, drawn by the rules (fuser/schedule/check.cpp), so that few are refused. Half begin from an empty
// list, half from the loops that the scheduler gave its reference. These are merged, split and swapped, and put on any
// threads and blocks; then a tensor goes to shared or global memory with loops of its own, or is computed elsewhere,
// reductions keep partial results, and loads come ahead.

#include <optional>

#include "fuser/ir/fusion.h"
#include "fuser/ir/transform.h"
#include "fuser/types/device_properties.h"

namespace fuser::fuzz {

class Choices;

// `chosen`: the scheduler's list, which says the reference, which vectors fit, and what a row keeps. None for a part
// that has no loops.
std::optional<Schedule> drawSchedule(const Fusion& part, const Schedule& chosen, const DeviceProperties& device,
                                     Choices& choices);

}  // namespace fuser::fuzz
