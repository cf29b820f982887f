#pragma once
// Kernel IR -> CUDA C++. NVRTC compiles the text for a GPU; clang compiles the same text for the CPU (cpu_module.h).
//
//   y = add(x, x) on f32[i0], 128 threads a block, narrow
//   ->
//   extern "C" __global__ void __launch_bounds__(128)
//   kernel_0_pointwise(FUSER_THREAD_PARAMETER const float* b0_x, float* b1_y, int64 p0) {
//     const int32 n0 = static_cast<int32>(p0);
//     const int32 threadX = threadIdx.x;
//     const int32 blockX = blockIdx.x;
//     if ((((blockX * 128) + threadX) < n0)) {
//       b1_y[((blockX * 128) + threadX)] = Add_f32(b0_x[…], b0_x[…]);
//     }
//   }
//
// Names: b buffers, p integer parameters (n in 32 bits), s scalars, i loop indices, x loaded indices (unchecked: see
// LoadIndex in kernel.h), q quotients and similar (one variable per scope, so that shared subexpressions do not
// multiply the text). Names of a .fusion file appear only as [A-Za-z0-9_] after such a prefix. The text depends only on
// the kernel.
//
// The kernel must satisfy the constraints of fuser/kernel/verify.h. A kernel that cannot be printed is a CheckError,
// but not every violation is detected here.

#include <span>
#include <string>

#include "fuser/kernel/kernel.h"

namespace fuser {

// The name of the entry of the index-th kernel (from 0) in a module: a C identifier, unique for each index.
std::string entryName(const Kernel& kernel, size_t index);

// Prints one kernel and the ops that it uses, without the runtime, for people to read.
std::string printCuda(const Kernel& kernel);

// Prints a translation unit: the runtime, each op once, and the kernels. The arguments of an entry are Kernel::tensors
// and Kernel::workspaces as pointers, Kernel::intParams as long long, and Kernel::scalars as double, long long or bool.
std::string printModule(std::span<const Kernel* const> kernels);

}  // namespace fuser
