#pragma once
// The cpu engine: compiles the printed CUDA C++ with clang and runs it on the CPU.

#include <memory>

#include "fuser/execute/engine.h"

namespace fuser {

// A SetUpError if there is no clang++. All kernels of a compile() go into one compiler call.
std::unique_ptr<Engine> makeCpuEngine();

}  // namespace fuser
