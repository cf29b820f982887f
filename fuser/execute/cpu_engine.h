#pragma once
// The cpu engine: the text that we print for CUDA, compiled by clang and run on the CPU.

#include <memory>

#include "fuser/execute/engine.h"

namespace fuser {

// A UserError where there is no clang++. All kernels of a compile() go in one compiler call (in two where some allow
// contraction and some don't).
std::unique_ptr<Engine> makeCpuEngine();

}  // namespace fuser
