#pragma once
// Kernel IR -> CUDA C++ text. The same text is compiled by NVRTC for a GPU and by clang for the CPU (cpu_module.h).
//
//   y = add(x, x) on f32[i0], 128 threads a block
//   ->
//   extern "C" __global__ void __launch_bounds__(128)
//   kernel_0_pointwise(FUSER_THREAD_PARAMETER const float* b0_x, float* b1_y, int64 p0) {
//     const int64 threadX = threadIdx.x;
//     const int64 blockX = blockIdx.x;
//     if ((((blockX * 128) + threadX) < p0)) {
//       b1_y[((blockX * 128) + threadX)] = Add_f32(b0_x[…], b0_x[…]);
//     }
//   }
//
// Names: b buffers, p integer parameters, s scalars, i loop indices, x loaded indices (used as they are: kernel.h says
// who keeps them inside their range), q quotients and the like (named once a scope, so that shared subexpressions do
// not multiply the text). Names of a .fusion file appear only as [A-Za-z0-9_] behind such a prefix. The text depends on
// the kernel alone.
//
// The kernel must keep the constraints of fuser/kernel/verify.h: what cannot be printed is a CheckError, but not every
// break of them is found here.

#include <span>
#include <string>

#include "fuser/kernel/kernel.h"

namespace fuser {

// The name of the kernel's entry, the index-th of its module, counted from 0: a C identifier, different for each index.
std::string entryName(const Kernel& kernel, size_t index);

// The kernel with the ops that it uses, as people read it: a module of one without the runtime in front.
std::string printCuda(const Kernel& kernel);

// A whole translation unit: the runtime once, each op once, every kernel. Arguments of an entry: Kernel::tensors as
// pointers, Kernel::intParams as long long, Kernel::scalars as double, long long or bool.
std::string printModule(std::span<const Kernel* const> kernels);

// Dynamic shared memory that a block needs, in bytes: the Shared buffers, each at a multiple of 16, then the scratch
// memory of block reductions.
size_t sharedMemoryBytes(const Kernel& kernel);

// True where threads wait for each other: Barrier, BlockReduce or BlockWelford.
bool hasBarrier(const Kernel& kernel);

}  // namespace fuser
