#pragma once
// The translation unit that clang compiles for the CPU: an emulation of CUDA (cuda_on_cpu.h), the unchanged text of
// print_cuda.h, and one launcher per kernel.

#include <span>
#include <string>

#include "fuser/codegen/cpu_thread.h"
#include "fuser/kernel/kernel.h"

namespace fuser {

// Runs a kernel without barriers for the whole grid, or one with barriers (hasBarrier, kernel/shared_layout.h) for the
// given thread only.
// `arguments` has the address of each argument of the entry; `grid` is x, y, z.
using CpuLauncher = void (*)(void* const* arguments, const long long* grid, const CpuThread* thread);

std::string launcherName(const Kernel& kernel, size_t index);  // `index`: among the kernels of the module
std::string printCpuModule(std::span<const Kernel* const> kernels);  // the whole unit; needs no include path

}  // namespace fuser
