#pragma once
// Another schedule for a segment that Scatter takes: other loops over the indices, some of them in a thread.

#include "fuser/ir/fusion.h"
#include "fuser/ir/transform.h"
#include "fuser/types/device_properties.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

// Of a part whose only output is what atomics add to.
Schedule drawAdds(const Fusion& part, const DeviceProperties& device, Choices& choices);

}  // namespace fuser::fuzz
