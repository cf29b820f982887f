#pragma once
// What an atomic leaves in memory, and what a reduction makes of two lanes' values.

#include "fuser/ptx/program.h"

namespace fuser::ptx {

// Of the bits of two values of the type. `isGlobal`: in global memory.
uint64_t combinedBits(AtomicKind kind, Type type, uint64_t old, uint64_t value, bool isGlobal);

}  // namespace fuser::ptx
