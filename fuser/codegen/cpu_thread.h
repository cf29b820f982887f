#pragma once
// The parameter that carries CUDA's built-in variables to a kernel thread on the CPU. The CPU engine and the text that
// it compiles share it, so it includes no header.

namespace fuser {

struct CpuIndex {
  unsigned int x, y, z;
};

struct CpuThread {
  CpuIndex index;              // threadIdx
  CpuIndex block;              // blockIdx
  unsigned char* shared;       // the block's shared memory, aligned to 16 bytes
  void (*barrier)(void*);      // __syncthreads(), called with `fiber`; null if the kernel has no barrier
  void (*gridBarrier)(void*);  // the first thread of each block waits for all blocks; called with `fiber`
  int blocks;                  // of the grid
  void* fiber;
};

inline int countArrival(int* count) { return (*count)++; }

}  // namespace fuser
