#pragma once
// Several devices for a case.

#include "fuser/case/case.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

// A device is a thread, and compiles for itself.
inline constexpr int kMaxDevicesInCase = 8;

// The case runs on 1 to maxDevices devices, not always numbered from 0: tensors are whole on all of them, or on some,
// or sharded along an axis that the devices hold in equal parts in every run. False, and nothing is changed, where the
// case has what takes one device alone: schedules, aliases, memory for outputs, stream axes.
bool spreadOverDevices(Case& testCase, Choices& choices, int maxDevices = kMaxDevicesInCase);

}  // namespace fuser::fuzz
