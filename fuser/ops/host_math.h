#pragma once
// op_math.cuh as the host compiles it: with the C library's functions, which CUDA has built in.

#include <cmath>
#include <type_traits>

#include "fuser/types/device_types.cuh"

namespace fuser {
using std::acos;
using std::acosh;
using std::asin;
using std::asinh;
using std::atan;
using std::atan2;
using std::atanh;
using std::ceil;
using std::copysign;
using std::cos;
using std::cosh;
using std::erf;
using std::erfc;
using std::exp;
using std::exp2;
using std::expm1;
using std::fabs;
using std::floor;
using std::fma;
using std::fmod;
using std::hypot;
using std::log;
using std::log10;
using std::log1p;
using std::log2;
using std::nextafter;
using std::pow;
using std::rint;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;
using std::trunc;

// std::lgamma writes the global signgam, which threads of a case (its devices) would race for.
template <class T>
T lgamma(T a) {
  int sign = 0;
  if constexpr (std::is_same_v<T, float>) return lgammaf_r(a, &sign);
  return lgamma_r(a, &sign);
}
}  // namespace fuser

#include "fuser/ops/op_math.cuh"  // last: it calls the functions above
