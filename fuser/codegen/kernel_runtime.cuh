#pragma once
// What printed kernels call besides op_math.cuh: index arithmetic, vector moves, shuffles, grid barriers.
// Printed once in front of the kernels, after device_types.cuh and op_math.cuh; never included by the host.
//
// A thread of the CPU engine carries its indices in a parameter (cuda_on_cpu.h defines the macros and gridWait); on the
// device they are built in, and the macros are empty.

#ifdef __CUDACC__
#define FUSER_THREAD_PARAMETER
#define FUSER_THREAD_ARGUMENT
#define FUSER_SHARED_MEMORY extern __shared__ fuser::Bytes16 sharedMemory[]
#define FUSER_UNROLL _Pragma("unroll")
#endif

namespace fuser {

#ifdef __CUDACC__
// Counts an arrival, and waits until `goal` are counted. The fences order memory around the count, so that blocks see
// what others wrote before.
__device__ __forceinline__ int32 gridArrive(int32* count) {
  __threadfence();
  return atomicAdd(count, 1);
}
__device__ __forceinline__ void gridWait(const int32* count, int32 goal) {
  while (*static_cast<const volatile int32*>(count) < goal) {
  }
  __threadfence();
}
__device__ __forceinline__ int32 gridBlocks() { return gridDim.x * gridDim.y * gridDim.z; }

__device__ __forceinline__ void keepLargest(uint64* kept, uint64 number) { atomicMax(kept, number); }

// *target += value, in any order among threads. Of f32, memory takes subnormal numbers for 0 (PTX ISA, atom.add).
__device__ __forceinline__ void addAtomically(float* target, float value) { atomicAdd(target, value); }
__device__ __forceinline__ void addAtomically(double* target, double value) { atomicAdd(target, value); }
__device__ __forceinline__ void addAtomically(int32* target, int32 value) { atomicAdd(target, value); }
__device__ __forceinline__ void addAtomically(int64* target, int64 value) {
  atomicAdd(reinterpret_cast<uint64*>(target), static_cast<uint64>(value));
}
#endif

FUSER_FN double doubleFromBits(uint64 bits) {
  double value;
  __builtin_memcpy(&value, &bits, 8);
  return value;
}

// a // b and a % b for a >= 0 and b >= 0; by zero: 0. (floorDiv and floorMod of op_math.cuh take any sign.) T is int64,
// or int32 in indices of a narrow kernel.
template <class T>
FUSER_FN T quotientOrZero(T a, T b) {
  return b == 0 ? 0 : a / b;
}
template <class T>
FUSER_FN T remainderOrZero(T a, T b) {
  return b == 0 ? 0 : a % b;
}
template <class T>
FUSER_FN T smaller(T a, T b) {
  return a < b ? a : b;
}
template <class T>
FUSER_FN T larger(T a, T b) {
  return a < b ? b : a;
}

// Memory in the sizes that one load or store instruction moves.
struct alignas(8) Bytes8 {
  uint32 x, y;
};
struct alignas(16) Bytes16 {
  uint32 x, y, z, w;
};
template <int bytes>
struct Chunk {
  typedef Bytes16 type;
};
template <>
struct Chunk<1> {
  typedef unsigned char type;
};
template <>
struct Chunk<2> {
  typedef uint16 type;
};
template <>
struct Chunk<4> {
  typedef uint32 type;
};
template <>
struct Chunk<8> {
  typedef Bytes8 type;
};

// Copies bytes (a power of two) between addresses aligned to it, at most 16 bytes at a time.
template <int bytes>
FUSER_FN void copyVector(void* target, const void* source) {
  typedef typename Chunk<bytes>::type Part;
  FUSER_UNROLL
  for (int i = 0; i < bytes / static_cast<int>(sizeof(Part)); ++i) {
    static_cast<Part*>(target)[i] = static_cast<const Part*>(source)[i];
  }
}

// The thread's number in a block of X * Y threads a layer.
template <int X, int Y>
FUSER_FN int threadNumber(FUSER_THREAD_PARAMETER int) {
  return threadIdx.x + X * (threadIdx.y + Y * threadIdx.z);
}

#ifdef __CUDACC__
// The lanes of the thread's warp that the block has.
template <int threads>
__device__ __forceinline__ uint32 lanesOfWarp(int thread) {
  const int left = threads - thread / 32 * 32;
  return left >= 32 ? ~0u : (1u << left) - 1;
}
// What shuffles move: of at least 32 bits.
template <class T>
struct Word {
  typedef T type;
};
template <>
struct Word<bool> {
  typedef int32 type;
};
template <>
struct Word<int8> {
  typedef int32 type;
};
template <int threads, class T>
__device__ __forceinline__ T valueOfThread(T value, int thread, int from) {
  typedef typename Word<T>::type W;
  return static_cast<T>(__shfl_sync(lanesOfWarp<threads>(thread), static_cast<W>(value), from % 32));
}
#endif

// The value of thread i ^ lanes, for thread i; and of thread i - i % lanes. A warp has both, and all threads of the
// block arrive.
template <int lanes, int X, int Y, int Z, class T>
FUSER_FN T shuffleXor(FUSER_THREAD_PARAMETER T value) {
  const int thread = threadNumber<X, Y>(FUSER_THREAD_ARGUMENT 0);
  return valueOfThread<X * Y * Z>(FUSER_THREAD_ARGUMENT value, thread, thread ^ lanes);
}
template <int lanes, int X, int Y, int Z, class T>
FUSER_FN T shuffleFirst(FUSER_THREAD_PARAMETER T value) {
  const int thread = threadNumber<X, Y>(FUSER_THREAD_ARGUMENT 0);
  return valueOfThread<X * Y * Z>(FUSER_THREAD_ARGUMENT value, thread, thread - thread % lanes);
}

// mean, squares, count = the part that they are, joined with another one.
template <class T>
FUSER_FN void joinPart(T& mean, T& squares, int64& count, T otherMean, T otherSquares, int64 otherCount) {
  WelfordPart<T> part, other;
  part.mean = mean;
  part.squares = squares;
  part.count = count;
  other.mean = otherMean;
  other.squares = otherSquares;
  other.count = otherCount;
  part = joinWelford(part, other);
  mean = part.mean;
  squares = part.squares;
  count = part.count;
}

// All blocks of the grid arrive; every thread of each. The first thread of a block counts for it: the semaphore's first
// number is that of all arrivals so far, so that the k-th barrier of a launch is passed at k times the blocks.
FUSER_FN void gridBarrier(FUSER_THREAD_PARAMETER int32* semaphore) {
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
    const int32 blocks = gridBlocks();
    const int32 before = gridArrive(semaphore);
    gridWait(semaphore, (before / blocks + 1) * blocks);
  }
  __syncthreads();
}

// After the last barrier of the grid. No block reads the count any more when all have arrived here, so the last one
// makes the semaphore zero for the next launch.
FUSER_FN void releaseSemaphore(FUSER_THREAD_PARAMETER int32* semaphore) {
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0 && gridArrive(semaphore + 1) == gridBlocks() - 1) {
    semaphore[0] = 0;
    semaphore[1] = 0;
  }
}

// An index out of its range, of the element with this number: noteOf of kernel.h, of which the largest one is kept.
FUSER_FN void reportIndex(int64* kept, int64 place, int64 index) {
  const int64 bound = (static_cast<int64>(1) << 32) - 1;
  const int64 near = index < -bound ? -bound : index > bound ? bound : index;
  const uint64 places = static_cast<uint64>((static_cast<int64>(1) << 31) - 1 - place);
  keepLargest(reinterpret_cast<uint64*>(kept), (places << 33) + static_cast<uint64>(near + bound + 1));
}

}  // namespace fuser
