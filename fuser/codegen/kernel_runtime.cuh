#pragma once
// What printed kernels call besides op_math.cuh: index arithmetic, vector moves, block reductions, grid barriers.
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

// The largest power of two below n; 0 for n = 1.
FUSER_FN constexpr int powerOfTwoBelow(int n) {
  int power = 1;
  while (power * 2 < n) power *= 2;
  return n > 1 ? power : 0;
}

// Combines `value` over the threads of the block along the reduced dims, in the order that kernel.h fixes; every thread
// of the block arrives, and every one gets the result. X, Y, Z: the block; scratch: one T a thread, free again on
// return.
template <class T, T (*combine)(T, T), int X, int Y, int Z, bool reduceX, bool reduceY, bool reduceZ>
FUSER_FN T blockReduce(FUSER_THREAD_PARAMETER T value, T* scratch) {
  constexpr int n = (reduceX ? X : 1) * (reduceY ? Y : 1) * (reduceZ ? Z : 1);
  if (n == 1) return value;
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int z = threadIdx.z;
  const int t = (reduceX ? x : 0) + (reduceX ? X : 1) * ((reduceY ? y : 0) + (reduceY ? Y : 1) * (reduceZ ? z : 0));
  const int group = (reduceX ? 0 : x) + (reduceX ? 1 : X) * ((reduceY ? 0 : y) + (reduceY ? 1 : Y) * (reduceZ ? 0 : z));
  T* v = scratch + group * n;
  v[t] = value;
  __syncthreads();
  for (int s = powerOfTwoBelow(n); s > 0; s /= 2) {
    if (t < s && t + s < n) v[t] = combine(v[t], v[t + s]);
    __syncthreads();
  }
  const T result = v[0];
  __syncthreads();
  return result;
}

// What the threads of the block know along the reduced dims, joined in the order of blockReduce, in place; every thread
// of the block arrives. scratch: one part a thread, free again on return.
template <class T, int X, int Y, int Z, bool reduceX, bool reduceY, bool reduceZ>
FUSER_FN void blockWelford(FUSER_THREAD_PARAMETER T& mean, T& squares, int64& count, WelfordPart<T>* scratch) {
  constexpr int n = (reduceX ? X : 1) * (reduceY ? Y : 1) * (reduceZ ? Z : 1);
  if (n == 1) return;
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int z = threadIdx.z;
  const int t = (reduceX ? x : 0) + (reduceX ? X : 1) * ((reduceY ? y : 0) + (reduceY ? Y : 1) * (reduceZ ? z : 0));
  const int group = (reduceX ? 0 : x) + (reduceX ? 1 : X) * ((reduceY ? 0 : y) + (reduceY ? 1 : Y) * (reduceZ ? 0 : z));
  WelfordPart<T>* v = scratch + group * n;
  v[t].mean = mean;
  v[t].squares = squares;
  v[t].count = count;
  __syncthreads();
  for (int s = powerOfTwoBelow(n); s > 0; s /= 2) {
    if (t < s && t + s < n) v[t] = joinWelford(v[t], v[t + s]);
    __syncthreads();
  }
  mean = v[0].mean;
  squares = v[0].squares;
  count = v[0].count;
  __syncthreads();
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

}  // namespace fuser
