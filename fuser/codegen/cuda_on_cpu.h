#pragma once
// Emulates the part of CUDA that printed kernels use, for clang on the CPU. It is printed before the kernels, whose
// text is the same as for NVRTC. It includes no header, because headers dominate compile time.
//
// Library functions are called by their C names and never folded by the compiler (-fno-builtin): folding computes f32
// functions in f64 and would give other bits than the library. The exact ones are compiler builtins.

#define FUSER_KERNEL_TEXT
#define FUSER_FN inline __attribute__((always_inline))
#define __global__ __attribute__((internal_linkage, always_inline))
#define __launch_bounds__(...)
#define __shared__
#define __syncthreads() fuserThread.barrier(fuserThread.fiber)
#define threadIdx (fuserThread.index)
#define blockIdx (fuserThread.block)
#define FUSER_THREAD_PARAMETER const fuser::CpuThread &fuserThread,
#define FUSER_THREAD_ARGUMENT fuserThread,
#define FUSER_SHARED_MEMORY unsigned char* const sharedMemory = fuserThread.shared
#define FUSER_UNROLL
// Threads run in turn: the first one of a block counts, and all threads wait until the scheduler lets them go on.
#define gridArrive(count) fuser::countArrival(count)
#define gridWait(count, goal) fuserThread.gridBarrier(fuserThread.fiber)
#define gridSeen()
#define gridBlocks() (fuserThread.blocks)
#define keepLargest(kept, number) fuser::keepLarger(kept, number)
#define addAtomically(target, value) fuser::addInTurn(target, value)

#define FUSER_LIBRARY(name)                   \
  extern "C" double name(double) noexcept;    \
  extern "C" float name##f(float) noexcept;   \
  inline float name(float a) { return name##f(a); }
#define FUSER_LIBRARY_2(name)                         \
  extern "C" double name(double, double) noexcept;    \
  extern "C" float name##f(float, float) noexcept;    \
  inline float name(float a, float b) { return name##f(a, b); }
#define FUSER_LIBRARY_3(name)                                \
  extern "C" double name(double, double, double) noexcept;   \
  extern "C" float name##f(float, float, float) noexcept;    \
  inline float name(float a, float b, float c) { return name##f(a, b, c); }
#define FUSER_EXACT(name)                                      \
  inline double name(double a) { return __builtin_##name(a); } \
  inline float name(float a) { return __builtin_##name##f(a); }
#define FUSER_EXACT_2(name)                                                 \
  inline double name(double a, double b) { return __builtin_##name(a, b); } \
  inline float name(float a, float b) { return __builtin_##name##f(a, b); }

FUSER_LIBRARY(acos)
FUSER_LIBRARY(acosh)
FUSER_LIBRARY(asin)
FUSER_LIBRARY(asinh)
FUSER_LIBRARY(atan)
FUSER_LIBRARY(atanh)
FUSER_LIBRARY(cbrt)
FUSER_LIBRARY(cos)
FUSER_LIBRARY(cosh)
FUSER_LIBRARY(erf)
FUSER_LIBRARY(erfc)
FUSER_LIBRARY(exp)
FUSER_LIBRARY(exp2)
FUSER_LIBRARY(expm1)
FUSER_LIBRARY(log)
FUSER_LIBRARY(log10)
FUSER_LIBRARY(log1p)
FUSER_LIBRARY(log2)
FUSER_LIBRARY(rint)
FUSER_LIBRARY(sin)
FUSER_LIBRARY(sinh)
// Exact, too. Of the builtin, LLVM 14 takes 1 / sqrt(a) for never below 0, but of -0 it is -inf.
FUSER_LIBRARY(sqrt)
FUSER_LIBRARY(tan)
FUSER_LIBRARY(tanh)
FUSER_LIBRARY(tgamma)
// lgamma would write the global signgam, which threads race for.
extern "C" double lgamma_r(double, int*) noexcept;
extern "C" float lgammaf_r(float, int*) noexcept;
inline double lgamma(double a) { int sign; return lgamma_r(a, &sign); }
inline float lgamma(float a) { int sign; return lgammaf_r(a, &sign); }
FUSER_LIBRARY_2(atan2)
FUSER_LIBRARY_3(fma)
FUSER_LIBRARY_2(fmod)
FUSER_LIBRARY_2(hypot)
FUSER_LIBRARY_2(nextafter)
FUSER_LIBRARY_2(pow)
FUSER_EXACT(ceil)
FUSER_EXACT(fabs)
FUSER_EXACT(floor)
FUSER_EXACT(round)
FUSER_EXACT(trunc)
FUSER_EXACT_2(copysign)
