#pragma once
// The interpreter of kernel IR: its readable definition, and the engine of campaigns. Runs on the CPU, needs no
// compiler, and checks every access (see interp_memory.h). Ignores Kernel::contraction: multiply and add stay two
// roundings.

#include <memory>

#include "fuser/execute/engine.h"

namespace fuser {

std::unique_ptr<Engine> makeInterpEngine();

}  // namespace fuser
