#pragma once
// Numbers of 16 bits, f16 and bf16: each is read as a double, instructions compute there, and the result is rounded
// once.
//
// Once: a product of two is exact in a double, whose 53 bits are more than twice theirs, and whose exponents reach
// further. A sum may not be; sumToOdd() makes the last bit of an inexact one odd. Such a double lies on no number of
// 16 bits and on no middle of two, and on the same side of all of them as the exact sum: rounding it is rounding that.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace fuser::ptx {

template <int kFractionBits>
class Float16 {
 public:
  Float16() = default;
  // Rounds as the environment says: a row has its rounding there.
  Float16(double value) : bits(narrowed(value)) {}
  static constexpr Float16 ofBits(uint16_t bits) {
    Float16 value;
    value.bits = bits;
    return value;
  }

  operator double() const {
    // Its bits as those of a double, whose exponents are numbered from elsewhere; of a subnormal number, its units. No
    // subnormal double is made on the way, which would be slow.
    const uint32_t size = bits & 0x7fff;
    const auto normal = std::bit_cast<double>((uint64_t{size} << kDropped) + kRebias);
    const double small = static_cast<int32_t>(size) * kUnit;
    const double read = size < kFirstNormal ? small : size < kInfinity ? normal : size == kInfinity ? INFINITY : NAN;
    return bits & 0x8000 ? -read : read;
  }
  // A subnormal number becomes a zero of its sign.
  Float16 flushed() const { return (bits & 0x7fff) >> kFractionBits ? *this : ofBits(bits & 0x8000); }
  static constexpr Float16 largest() { return ofBits(kInfinity - 1); }

  uint16_t bits = 0;

 private:
  static constexpr int kDropped = 52 - kFractionBits;
  static constexpr int kBias = (1 << (14 - kFractionBits)) - 1;
  static constexpr uint32_t kInfinity = 0x7fff >> kFractionBits << kFractionBits;
  static constexpr double power(int exponent) { return std::bit_cast<double>(uint64_t(1023 + exponent) << 52); }
  static constexpr uint64_t kRebias = uint64_t{1023 - kBias} << 52;
  static constexpr uint32_t kFirstNormal = 1 << kFractionBits;
  static constexpr double kUnit = power(1 - kBias - kFractionBits);  // of subnormal numbers

  static uint16_t narrowed(double value) {
    constexpr double kEnd = power(kBias + 1);
    const double size = std::fabs(value);
    // What is above all numbers becomes infinity or the largest one, as what is just below kEnd does.
    const double kept = size == INFINITY ? kEnd : std::min(size, kEnd * (1 - 0x1p-53));
    const uint64_t exponent = std::max(std::bit_cast<uint64_t>(kept) >> 52, uint64_t{1024 - kBias});
    // 2^52 units of the last place: a sum with it is whole units, rounded.
    const double units = std::copysign(std::bit_cast<double>((exponent + kDropped) << 52), value);
    const double rounded = std::fabs((std::copysign(kept, value) + units) - units);
    if (value != value) return 0x7fff;
    const auto normal = static_cast<uint32_t>((std::bit_cast<uint64_t>(rounded) - kRebias) >> kDropped);
    const bool isNormal = rounded >= kFirstNormal * kUnit;
    const uint32_t whole = isNormal ? normal : static_cast<uint32_t>(static_cast<int32_t>(rounded * (1 / kUnit)));
    return static_cast<uint16_t>(whole | (std::signbit(value) ? 0x8000 : 0));
  }
};

using Half = Float16<10>;
using Bfloat = Float16<7>;

// cvt.rn.bf16.f32 and cvt.f32.bf16, which kernels of bf16 do most, without a double.
inline Bfloat toBfloat(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto rounded = static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  return Bfloat::ofBits(value == value ? rounded : 0x7fff);
}

inline float fromBfloat(Bfloat value) { return std::bit_cast<float>(uint32_t{value.bits} << 16); }

// Two of them in one register.
template <class Number>
struct PairOf {
  Number lower, upper;
};

// a + b; of one that no double holds, the neighbour whose last bit is 1. Knuth's sum gives the error exactly.
inline double sumToOdd(double a, double b) {
  const double sum = a + b, part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  const auto bits = std::bit_cast<uint64_t>(sum);
  const bool isKept = !(std::fabs(error) > 0) || !(std::fabs(sum) < INFINITY) || (bits & 1) != 0;
  return isKept ? sum : std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

// An integer as a double that rounds to 16 bits as the integer does, in each direction: of more than 53 bits, the last
// that is kept is 1 if any behind it is.
template <class I>
double toOdd(I value) {
  if constexpr (sizeof(I) == 8) {
    const bool isWide = value >= (I{1} << 53) || (value < 0 && value <= -(I{1} << 53));
    if (isWide && (value & 0x7ff) != 0) value = static_cast<I>((value & ~I{0x7ff}) | 0x800);
  }
  return static_cast<double>(value);
}

// Below 0, and of -0: 0.
template <class T>
T rectified(T value) {
  return value > 0 || value != value ? value : T(0);
}
// What is beyond the largest number becomes that.
template <class Number>
Number finite(Number value) {
  if (!std::isinf(static_cast<double>(value))) return value;
  return Number::ofBits(static_cast<uint16_t>(Number::largest().bits | (value.bits & 0x8000)));
}

}  // namespace fuser::ptx
