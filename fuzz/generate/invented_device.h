#pragma once
// Devices that are not: limits that small cases reach.

#include "fuser/case/options.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

// Draws a named device, and figures of it in the options: fewer threads, registers, bytes of shared memory,
// multiprocessors and blocks, other warps and architectures, a lower bound of indices, no blocks that wait for others.
void inventDevice(CompileOptions& options, Choices& choices);

}  // namespace fuser::fuzz
