#pragma once
// Runs the threads of a block, or of a whole grid whose blocks wait for each other, as fibers on one CPU thread,
// resumed in order of block and thread, so that a run is deterministic. Only kernels with barriers need this; in others
// the compiled launcher loops over the threads, which is much cheaper.
//
// A round resumes each fiber once, up to its next barrier, shuffle or its end. Writes before a barrier are visible
// after it, because fibers never run concurrently. Races are not detected; interp does that.

#include <array>
#include <cstdint>

#include "fuser/codegen/cpu_module.h"

namespace fuser {

// What shared memory is allocated in.
struct alignas(16) SharedUnit {
  unsigned char bytes[16];
};

struct FiberLaunch {
  CpuLauncher launcher = nullptr;    // runs one thread of one block
  void* const* arguments = nullptr;  // ArgumentList::addresses()
  std::array<int64_t, 3> grid{};     // blocks along x, y, z; none of them 0
  std::array<int64_t, 3> block{};    // threads of a block along x, y, z; none of them 0
  size_t sharedBytes = 0;            // of shared memory for each block that runs
  size_t stackBytes = 0;             // the stack size of a fiber
  bool atOnce = false;               // all blocks run at once, since they wait for each other; otherwise in turn
};

// Runs every block, x fastest, on the calling thread. A ViolationError, with the kernel's name, if some threads of a
// block wait at a barrier and others have ended, or some blocks at one of the grid. The rejection grid-stacks if the
// stacks of a grid that runs at once take more than kMaxGridStacks.
constexpr size_t kMaxGridStacks = size_t{64} << 20;  // bytes
void runFibers(const FiberLaunch& launch, const std::string& kernelName);

}  // namespace fuser
