#pragma once
// The instructions marked .approx: their exact results, rounded to nearest. The manual allows more (PTX
// ISA 9.0, 9.7.3). A result that is exact in the manual (the power of an integer, the reciprocal of a power of two) is
// exact here.

#include <cmath>

#include "fuser/ptx/semantics.h"

namespace fuser::ptx::approximate {

inline float rounded(double value) { return canonical(static_cast<float>(value)); }

inline float exp2WithSubnormals(float a) { return rounded(std::exp2(static_cast<double>(a))); }
inline float exp2(float a) { return flush(exp2WithSubnormals(a)); }
inline float log2(float a) { return rounded(std::log2(static_cast<double>(a))); }
inline float reciprocalWithSubnormals(float a) { return rounded(1 / static_cast<double>(a)); }
inline float reciprocal(float a) { return flush(reciprocalWithSubnormals(a)); }
inline float reciprocalRoot(float a) { return rounded(1 / std::sqrt(static_cast<double>(a))); }
inline float root(float a) { return rounded(std::sqrt(static_cast<double>(a))); }
inline float sine(float a) { return rounded(std::sin(static_cast<double>(a))); }
inline float cosine(float a) { return rounded(std::cos(static_cast<double>(a))); }
inline float hyperbolicTangent(float a) { return rounded(std::tanh(static_cast<double>(a))); }
inline float quotient(float a, float b) { return rounded(static_cast<double>(a) / static_cast<double>(b)); }

// Of f64 the hardware has the upper 20 bits of the fraction alone; subnormal numbers are zeros.
inline double flushed(double value) { return std::fabs(value) < 0x1p-1022 ? std::copysign(0.0, value) : value; }
inline double upper(double value) {
  const auto bits = std::bit_cast<uint64_t>(flushed(value));
  return value == value ? std::bit_cast<double>(bits & 0xffffffff00000000u) : value;
}
inline double reciprocalUpper(double a) { return upper(1 / flushed(a)); }
inline double reciprocalRootUpper(double a) { return upper(1 / std::sqrt(flushed(a))); }

}  // namespace fuser::ptx::approximate
