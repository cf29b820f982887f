#pragma once
// The instructions of approximations.def: the functions, and nearest(): the exact results, rounded to nearest.

#include <bit>
#include <cmath>
#include <string_view>
#include <type_traits>

#include "fuser/ptx/half.h"
#include "fuser/ptx/semantics.h"

namespace fuser::ptx::approximate {

// --- functions: of doubles, whose errors f32 does not show ---

struct Exp2 {
  static double of(double a) { return std::exp2(a); }
  static constexpr uint64_t kNumber = 1;
};
struct Log2 {
  static double of(double a) { return std::log2(a); }
  static constexpr uint64_t kNumber = 2;
};
struct Reciprocal {
  static double of(double a) { return 1 / a; }
  static constexpr uint64_t kNumber = 3;
};
struct ReciprocalRoot {
  static double of(double a) { return 1 / std::sqrt(a); }
  static constexpr uint64_t kNumber = 4;
};
struct Root {
  static double of(double a) { return std::sqrt(a); }
  static constexpr uint64_t kNumber = 5;
};
struct Sine {
  static double of(double a) { return std::sin(a); }
  static constexpr uint64_t kNumber = 6;
};
struct Cosine {
  static double of(double a) { return std::cos(a); }
  static constexpr uint64_t kNumber = 7;
};
struct Tanh {
  static double of(double a) { return std::tanh(a); }
  static constexpr uint64_t kNumber = 8;
};
struct Quotient {
  static double of(double a, double b) { return a / b; }
  static constexpr uint64_t kNumber = 9;
};

// --- numbers ---

constexpr bool isFlushing(std::string_view opcode) { return opcode.find(".ftz.") != opcode.npos; }

inline float flushed(float value) { return flush(value); }
inline double flushed(double value) { return std::fabs(value) < 0x1p-1022 ? std::copysign(0.0, value) : value; }
template <int kFractionBits>
Float16<kFractionBits> flushed(Float16<kFractionBits> value) {
  return value.flushed();
}
template <bool kFlushes, class Number>
Number kept(Number value) {
  if constexpr (kFlushes) return flushed(value);
  return value;
}
template <class Number>
Number rounded(double value) {
  if constexpr (std::is_same_v<Number, float>)
    return canonical(static_cast<float>(value));
  else
    return Number(value);
}

// f64 alone has results of fewer bits: the upper 20 of the fraction.
inline double upper(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  return value == value ? std::bit_cast<double>(bits & 0xffffffff00000000u) : value;
}

// --- the nearest number ---

template <class F, bool kFlushes, class... Numbers>
float nearest(float a, Numbers... more) {
  return kept<kFlushes>(rounded<float>(F::of(kept<kFlushes>(a), kept<kFlushes>(more)...)));
}
template <class F, bool kFlushes, int kFractionBits>
Float16<kFractionBits> nearest(Float16<kFractionBits> a) {
  return F::of(kept<kFlushes>(a));
}
template <class F, bool kFlushes>
double nearest(double a) {
  return upper(flushed(F::of(kept<kFlushes>(a))));
}

}  // namespace fuser::ptx::approximate
