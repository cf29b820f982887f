#pragma once
// The translation unit that clang compiles for the CPU: a little of CUDA (cuda_on_cpu.h), the text of print_cuda.h
// unchanged, and one launcher a kernel.

#include <span>
#include <string>

#include "fuser/codegen/cpu_thread.h"
#include "fuser/kernel/kernel.h"

namespace fuser {

// A launcher of a kernel without barriers runs the whole grid; of one with barriers (hasBarrier) the one thread given.
// arguments: the address of each argument of the entry. grid: x, y, z.
using CpuLauncher = void (*)(void* const* arguments, const long long* grid, const CpuThread* thread);

std::string launcherName(const Kernel& kernel, size_t index);
std::string printCpuModule(std::span<const Kernel* const> kernels);

}  // namespace fuser
