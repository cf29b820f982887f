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
  // Gives `value` of so many bytes to the other threads of the block, and returns what thread `from` gave; called with
  // `fiber`. All threads arrive. A thread that does not exist gives what this one does.
  const void* (*shuffle)(void* fiber, const void* value, int bytes, int from);
  int blocks;  // of the grid
  void* fiber;
};

inline int countArrival(int* count) { return (*count)++; }

inline void keepLarger(unsigned long long* kept, unsigned long long number) {
  if (*kept < number) *kept = number;
}

// *target += value; of integers, as unsigned ones, which wrap.
inline void addInTurn(float* target, float value) { *target += value; }
inline void addInTurn(double* target, double value) { *target += value; }
inline void addInTurn(int* target, int value) {
  *target = static_cast<int>(static_cast<unsigned int>(*target) + static_cast<unsigned int>(value));
}
inline void addInTurn(long long* target, long long value) {
  *target = static_cast<long long>(static_cast<unsigned long long>(*target) + static_cast<unsigned long long>(value));
}

template <int threads, class T>
inline T valueOfThread(const CpuThread& self, T value, int, int from) {
  T other;
  __builtin_memcpy(&other, self.shuffle(self.fiber, &value, sizeof(T), from), sizeof(T));
  return other;
}

}  // namespace fuser
