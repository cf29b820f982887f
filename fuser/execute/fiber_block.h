#pragma once
// Runs the threads of a block as fibers on one CPU thread, resumed in thread order, so that a run is deterministic.
// Only kernels with barriers need this; in others the compiled launcher loops over the threads, which is much cheaper.
//
// A round resumes each fiber once, up to its next barrier or its end. Writes before a barrier are visible after it,
// because fibers never run concurrently.
// Races are not detected; interp does that.

#include <array>
#include <cstdint>

#include "fuser/codegen/cpu_module.h"

namespace fuser {

struct FiberLaunch {
  CpuLauncher launcher = nullptr;    // runs one thread of one block
  void* const* arguments = nullptr;  // ArgumentList::addresses()
  std::array<int64_t, 3> grid{};     // blocks along x, y, z; none of them 0
  std::array<int64_t, 3> block{};    // threads of a block along x, y, z; none of them 0
  unsigned char* shared = nullptr;   // one block's memory, which all blocks use in turn; aligned to 16 bytes
  size_t stackBytes = 0;             // the stack size of a fiber
};

// Runs every block, x fastest, on the calling thread. A ViolationError, with the kernel's name, if some threads of a
// block wait at a barrier and others have ended.
void runFibers(const FiberLaunch& launch, const std::string& kernelName);

}  // namespace fuser
