#pragma once
// The threads of a block that wait for each other, on one thread of the CPU: a fiber each, resumed in thread order, so
// that a run is the same every time.

#include <array>
#include <cstdint>

#include "fuser/codegen/cpu_module.h"

namespace fuser {

struct FiberLaunch {
  CpuLauncher launcher = nullptr;    // runs one thread of one block
  void* const* arguments = nullptr;
  std::array<int64_t, 3> grid{};     // none of them 0
  std::array<int64_t, 3> block{};
  unsigned char* shared = nullptr;   // aligned to 16 bytes
  size_t stackBytes = 0;             // of a fiber
};

// Runs every block, x fastest. A ViolationError where some threads of a block wait at a barrier while others have
// ended.
void runFibers(const FiberLaunch& launch, const std::string& kernelName);

}  // namespace fuser
