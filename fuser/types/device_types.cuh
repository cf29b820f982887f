#pragma once
// The floats of 16 and 8 bits, the integer types, and the conversions between all data types, as the host, the CPU
// engine and the device compile them: this file is included by C++ and printed in front of every kernel, so it includes
// no header.
//
// Rules (fuser/DESIGN.md#3-semantics, oracle/ORACLE.md#2-rounding): round to nearest even; to a narrower float always
// through f32, so f64 -> f16 rounds twice as PyTorch does; float to int truncates, and out of range or NaN gives the
// value that x86's cvttsd2si gives for 32 and 64 bits (the smallest integer; of i8 and i16 too), on every engine; float
// to an unsigned integer goes through i64 and wraps; anything but 0 is true, NaN included.

#ifndef FUSER_FN
#ifdef __CUDACC__
#define FUSER_FN __device__ __forceinline__
#define __builtin_memcpy memcpy  // which is built in there
#else
#define FUSER_FN inline
#endif
#endif

namespace fuser {

typedef signed char int8;
typedef short int16;
typedef int int32;
#if defined(__CUDACC__) || defined(FUSER_KERNEL_TEXT)
typedef long long int64;
#else
typedef decltype(0L) int64;  // std::int64_t where long has 64 bits
#endif
typedef unsigned int uint32;
typedef unsigned long long uint64;
typedef unsigned short uint16;
typedef unsigned char uint8;

static_assert(sizeof(int8) == 1 && sizeof(int32) == 4 && sizeof(int64) == 8 && sizeof(uint16) == 2);

struct Half {
  uint16 bits;
};
struct BFloat16 {
  uint16 bits;
};
// Of 8 bits: 4 of the exponent and 3 of the fraction, without infinities and with one NaN a sign; and 5 and 2, as
// IEEE 754 would have them ("OCP 8-bit Floating Point Specification", 2023; PyTorch's float8_e4m3fn and float8_e5m2).
struct Float8E4M3 {
  uint8 bits;
};
struct Float8E5M2 {
  uint8 bits;
};

FUSER_FN uint32 floatBits(float value) {
  uint32 bits;
  __builtin_memcpy(&bits, &value, 4);
  return bits;
}
FUSER_FN float floatFromBits(uint32 bits) {
  float value;
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

// The same bits in another dtype of as many bytes; of smaller floats those of the low end of an int32.
template <class To, class From>
FUSER_FN To bitcast(From value) {
  To result{};
  if constexpr (sizeof(To) == sizeof(From)) {
    __builtin_memcpy(&result, &value, sizeof(To));
  } else if constexpr (sizeof(From) < sizeof(To)) {
    result = static_cast<To>(value.bits);
  } else {
    result.bits = static_cast<decltype(result.bits)>(value);
  }
  return result;
}

FUSER_FN BFloat16 bfloat16FromFloat(float value) {
  const uint32 bits = floatBits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return BFloat16{0x7fc0};  // every NaN becomes the quiet one
  return BFloat16{static_cast<uint16>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}
FUSER_FN float floatFromBfloat16(BFloat16 value) { return floatFromBits(static_cast<uint32>(value.bits) << 16); }

// The bits of a finite f32 without its sign, rounded to an exponent of this bias and so many bits of fraction. What is
// too large comes out as infinity or above.
template <uint32 bias, uint32 fraction>
FUSER_FN uint32 roundedMagnitude(uint32 magnitude) {
  if (magnitude < (128u - bias) << 23) {  // below the normal numbers: in units of the smallest one
    const uint32 shift = 151u - bias - fraction - (magnitude >> 23);
    if (shift > 24u) return 0;
    const uint32 whole = (magnitude & 0x7fffffu) | 0x800000u;
    const uint32 quotient = whole >> shift;
    const uint32 remainder = whole & ((1u << shift) - 1u);
    const uint32 half = 1u << (shift - 1u);
    return quotient + (remainder > half || (remainder == half && (quotient & 1u)) ? 1u : 0u);
  }
  const uint32 rounded = magnitude + ((1u << (22u - fraction)) - 1u) + ((magnitude >> (23u - fraction)) & 1u);
  return (rounded - ((127u - bias) << 23)) >> (23u - fraction);
}

FUSER_FN Half halfFromFloat(float value) {
  const uint32 bits = floatBits(value);
  const uint32 sign = (bits >> 16) & 0x8000u;
  const uint32 magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return Half{static_cast<uint16>(sign | 0x7e00u)};
  if (magnitude >= 0x477ff000u) return Half{static_cast<uint16>(sign | 0x7c00u)};  // 65520 and above round to infinity
  return Half{static_cast<uint16>(sign | roundedMagnitude<15, 10>(magnitude))};
}
FUSER_FN float floatFromHalf(Half value) {
  const uint32 sign = static_cast<uint32>(value.bits & 0x8000u) << 16;
  const uint32 exponent = (value.bits >> 10) & 0x1fu;
  const uint32 mantissa = value.bits & 0x3ffu;
  if (exponent == 31u) return floatFromBits(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0u) {
    const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;  // 2^-24, exact
    return sign ? -magnitude : magnitude;
  }
  return floatFromBits(sign | ((exponent + 112u) << 23) | (mantissa << 13));
}

// Without infinities: what is above 464 is NaN, as in PyTorch.
FUSER_FN Float8E4M3 float8E4M3FromFloat(float value) {
  const uint32 bits = floatBits(value);
  const uint32 magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x43e80000u) return Float8E4M3{0x7f};
  return Float8E4M3{static_cast<uint8>(((bits >> 24) & 0x80u) | roundedMagnitude<7, 3>(magnitude))};
}
FUSER_FN float floatFromFloat8E4M3(Float8E4M3 value) {
  const uint32 sign = static_cast<uint32>(value.bits & 0x80u) << 24;
  const uint32 magnitude = value.bits & 0x7fu;
  if (magnitude == 0x7fu) return floatFromBits(0x7fc00000u);
  if (magnitude >= 8u) return floatFromBits(sign | ((magnitude << 20) + (120u << 23)));
  const float small = static_cast<float>(magnitude) * 0.001953125f;  // 2^-9, exact
  return sign ? -small : small;
}

FUSER_FN Float8E5M2 float8E5M2FromFloat(float value) {
  const uint32 bits = floatBits(value);
  const uint32 sign = (bits >> 24) & 0x80u;
  const uint32 magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return Float8E5M2{0x7f};
  if (magnitude >= 0x47700000u) return Float8E5M2{static_cast<uint8>(sign | 0x7cu)};  // 61440 and above
  return Float8E5M2{static_cast<uint8>(sign | roundedMagnitude<15, 2>(magnitude))};
}
// Its bits are the high ones of an f16.
FUSER_FN float floatFromFloat8E5M2(Float8E5M2 value) {
  return floatFromHalf(Half{static_cast<uint16>(static_cast<uint32>(value.bits) << 8)});
}

// The arithmetic type of a storage type.
template <class T>
struct ComputeOf {
  typedef T type;
};
template <>
struct ComputeOf<Half> {
  typedef float type;
};
template <>
struct ComputeOf<BFloat16> {
  typedef float type;
};
template <>
struct ComputeOf<Float8E4M3> {
  typedef float type;
};
template <>
struct ComputeOf<Float8E5M2> {
  typedef float type;
};

FUSER_FN float widen(Half value) { return floatFromHalf(value); }
FUSER_FN float widen(BFloat16 value) { return floatFromBfloat16(value); }
FUSER_FN float widen(Float8E4M3 value) { return floatFromFloat8E4M3(value); }
FUSER_FN float widen(Float8E5M2 value) { return floatFromFloat8E5M2(value); }
template <class T>
FUSER_FN T widen(T value) {
  return value;
}

// Conversion of an arithmetic type to a storage type.
template <class To>
struct Convert {
  template <class From>
  static FUSER_FN To from(From value) {
    return static_cast<To>(value);
  }
};
template <>
struct Convert<bool> {
  template <class From>
  static FUSER_FN bool from(From value) {
    return value != static_cast<From>(0);
  }
};
template <>
struct Convert<int64> {
  static FUSER_FN int64 from(double value) {
    return value >= -9223372036854775808.0 && value < 9223372036854775808.0 ? static_cast<int64>(value)
                                                                           : static_cast<int64>(1ull << 63);
  }
  static FUSER_FN int64 from(float value) { return from(static_cast<double>(value)); }
  template <class From>
  static FUSER_FN int64 from(From value) {
    return static_cast<int64>(value);
  }
};
// Of fewer bits than 64: integers keep their low bits.
template <class To>
struct ConvertToSigned {
  static FUSER_FN To from(double value) {
    const double past = static_cast<double>(1ull << (8 * sizeof(To) - 1));
    return value > -past - 1.0 && value < past ? static_cast<To>(value) : static_cast<To>(-past);
  }
  static FUSER_FN To from(float value) { return from(static_cast<double>(value)); }
  template <class From>
  static FUSER_FN To from(From value) {
    return static_cast<To>(static_cast<uint64>(value));
  }
};
template <>
struct Convert<int32> : ConvertToSigned<int32> {};
template <>
struct Convert<int16> : ConvertToSigned<int16> {};
template <>
struct Convert<int8> : ConvertToSigned<int8> {};
template <class To>
struct ConvertToUnsigned {
  template <class From>
  static FUSER_FN To from(From value) {
    return static_cast<To>(static_cast<uint64>(Convert<int64>::from(value)));
  }
};
template <>
struct Convert<uint32> : ConvertToUnsigned<uint32> {};
template <>
struct Convert<uint16> : ConvertToUnsigned<uint16> {};
template <>
struct Convert<uint8> : ConvertToUnsigned<uint8> {};
template <>
struct Convert<Half> {
  template <class From>
  static FUSER_FN Half from(From value) {
    return halfFromFloat(static_cast<float>(value));
  }
};
template <>
struct Convert<BFloat16> {
  template <class From>
  static FUSER_FN BFloat16 from(From value) {
    return bfloat16FromFloat(static_cast<float>(value));
  }
};

template <>
struct Convert<Float8E4M3> {
  template <class From>
  static FUSER_FN Float8E4M3 from(From value) {
    return float8E4M3FromFloat(static_cast<float>(value));
  }
};
template <>
struct Convert<Float8E5M2> {
  template <class From>
  static FUSER_FN Float8E5M2 from(From value) {
    return float8E5M2FromFloat(static_cast<float>(value));
  }
};

// Any storage type to any storage type: one rounding (two for f64 or an integer to 16 bits and less, as PyTorch).
template <class To, class From>
FUSER_FN To convert(From value) {
  return Convert<To>::from(widen(value));
}

}  // namespace fuser
