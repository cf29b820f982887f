#pragma once
// Turns a generated case into one for several devices.

#include "fuser/case/case.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

// The limit on devices per case; each one is a thread and compiles on its own.
inline constexpr int kMaxDevicesInCase = 8;

// Draws a mesh of 1 to maxDevices devices, not always numbered from 0, and shardings: tensors are replicated on all or
// some devices, or sharded along an axis that splits equally in every run. Returns false, without changes, for a case
// with features for a single device only: schedules, aliases, preallocated outputs, stream axes.
bool spreadOverDevices(Case& testCase, Choices& choices, int maxDevices = kMaxDevicesInCase);

}  // namespace fuser::fuzz
