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
// Counts an arrival; waits until `goal` are counted; has seen that an arrival was the last one. The fences order memory
// around the count, so that blocks see what others wrote before, and that nobody reads what is written then.
__device__ __forceinline__ int32 gridArrive(int32* count) {
  __threadfence();
  return atomicAdd(count, 1);
}
__device__ __forceinline__ void gridWait(const int32* count, int32 goal) {
  while (*static_cast<const volatile int32*>(count) < goal) {
  }
  __threadfence();
}
__device__ __forceinline__ void gridSeen() { __threadfence(); }
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
// or int32 in indices of a narrow kernel. Without a branch, as there.
template <class T>
FUSER_FN T quotientOrZero(T a, T b) {
  const T quotient = a / (b == 0 ? 1 : b);
  return b == 0 ? 0 : quotient;
}
template <class T>
FUSER_FN T remainderOrZero(T a, T b) {
  return a % (b == 0 ? 1 : b);
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
  const int left = threads - (thread & ~31);
  return threads % 32 == 0 || left >= 32 ? ~0u : (1u << left) - 1;
}
// What shuffles move: of at least 32 bits.
template <class T, bool isShort = sizeof(T) < 4>
struct Word {
  typedef T type;
};
template <class T>
struct Word<T, true> {
  typedef int32 type;
};
template <int threads, class T>
__device__ __forceinline__ T valueOfThread(T value, int thread, int from) {
  typedef typename Word<T>::type W;
  return static_cast<T>(__shfl_sync(lanesOfWarp<threads>(thread), static_cast<W>(value), from & 31));
}
#endif

#ifdef __CUDACC__
#if __CUDA_ARCH__ >= 800
#define FUSER_MMA(dtype)                                                                                       \
  asm("mma.sync.aligned.m16n8k16.row.col.f32." dtype "." dtype ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, " \
      "{%0, %1, %2, %3};"                                                                                      \
      : "+f"(sum0), "+f"(sum1), "+f"(sum2), "+f"(sum3)                                                         \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#else
#define FUSER_MMA(dtype) __trap()  // the scheduler takes no Mma for such a device
#endif
__device__ __forceinline__ void multiplyWords(Half, const uint32* a, const uint32* b, float& sum0, float& sum1,
                                              float& sum2, float& sum3) {
  FUSER_MMA("f16");
}
__device__ __forceinline__ void multiplyWords(BFloat16, const uint32* a, const uint32* b, float& sum0, float& sum1,
                                              float& sum2, float& sum3) {
  FUSER_MMA("bf16");
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
  return valueOfThread<X * Y * Z>(FUSER_THREAD_ARGUMENT value, thread, thread & -lanes);
}

// The statement Mma (kernel.h).
template <int X, int Y, class T>
FUSER_FN void multiplyMatrices(FUSER_THREAD_PARAMETER const T* left, const T* right, float& sum0, float& sum1,
                               float& sum2, float& sum3) {
#ifdef __CUDACC__
  uint32 a[4], b[2];
  for (int i = 0; i < 4; ++i) a[i] = left[2 * i].bits | static_cast<uint32>(left[2 * i + 1].bits) << 16;
  for (int i = 0; i < 2; ++i) b[i] = right[2 * i].bits | static_cast<uint32>(right[2 * i + 1].bits) << 16;
  multiplyWords(T(), a, b, sum0, sum1, sum2, sum3);
#else
  struct Numbers {
    T at[4];
  };
  const int thread = threadNumber<X, Y>(FUSER_THREAD_ARGUMENT 0), lane = thread % 32;
  const int t = lane % 4, first = thread - lane;
  const Numbers above{{left[0], left[1], left[4], left[5]}}, below{{left[2], left[3], left[6], left[7]}};
  const Numbers own{{right[0], right[1], right[2], right[3]}};
  float rows[2][16], columns[2][16];
  for (int from = 0; from < 4; ++from) {
    const Numbers numbers[4] = {
        valueOfThread<0>(FUSER_THREAD_ARGUMENT above, 0, thread - t + from),
        valueOfThread<0>(FUSER_THREAD_ARGUMENT below, 0, thread - t + from),
        valueOfThread<0>(FUSER_THREAD_ARGUMENT own, 0, first + 8 * t + from),
        valueOfThread<0>(FUSER_THREAD_ARGUMENT own, 0, first + 8 * t + 4 + from)};
    for (int e = 0; e < 4; ++e) {
      const int k = 2 * from + e % 2 + e / 2 * 8;
      for (int side = 0; side < 2; ++side) {
        rows[side][k] = widen(numbers[side].at[e]);
        columns[side][k] = widen(numbers[2 + side].at[e]);
      }
    }
  }
  sum0 = addProducts(sum0, rows[0], columns[0]);
  sum1 = addProducts(sum1, rows[0], columns[1]);
  sum2 = addProducts(sum2, rows[1], columns[0]);
  sum3 = addProducts(sum3, rows[1], columns[1]);
#endif
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
    gridSeen();
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
