#pragma once
// What one thread of a kernel knows on the CPU: the parameter that carries CUDA's built-in variables. Shared by the CPU
// engine and the text that it compiles, so it includes no header.

namespace fuser {

struct CpuIndex {
  unsigned int x, y, z;
};

struct CpuThread {
  CpuIndex index;              // threadIdx
  CpuIndex block;              // blockIdx
  unsigned char* shared;       // the block's shared memory, aligned to 16 bytes
  void (*barrier)(void*);      // __syncthreads(), called with `fiber`; null where the kernel has no barrier
  void* fiber;
};

}  // namespace fuser
