#pragma once
// The threads of a block that wait for each other, on one thread of the CPU: a fiber each, resumed in thread order, so
// that a run is the same every time. For kernels with barriers alone: without one the threads are a plain loop of the
// compiled launcher, which costs nothing a thread.
//
// A round resumes every fiber once, up to its next barrier or the block's end. What a thread wrote before a barrier,
// all see after it, because nothing runs at the same time. Races are not looked for: that is interp's.

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
  size_t stackBytes = 0;             // of a fiber
};

// Runs every block, x fastest, on the calling thread. A ViolationError, with the kernel's name, where some threads of a
// block wait at a barrier while others have ended.
void runFibers(const FiberLaunch& launch, const std::string& kernelName);

}  // namespace fuser
