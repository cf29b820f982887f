#pragma once
// The interp engine: interprets kernel IR on the CPU. It defines the semantics of kernel IR, needs no compiler, checks
// every access (interp_memory.h), and is the engine of campaigns. It ignores Kernel::contraction: a multiply and an add
// always round twice.

#include <memory>

#include "fuser/execute/engine.h"

namespace fuser {

std::unique_ptr<Engine> makeInterpEngine();

}  // namespace fuser
