#pragma once
// The 16-bit floats, the integer types, and the conversions between all data types, as the host, the CPU engine and the
// device compile them: this file is included by C++ and printed in front of every kernel, so it includes no header.
//
// Rules (fuser/DESIGN.md#3-semantics, oracle/ORACLE.md#2-rounding): round to nearest even; to a 16-bit float always
// through f32, so f64 -> f16 rounds twice as PyTorch does; float to int truncates, and out of range or NaN gives the
// value that x86's cvttsd2si gives for 32 and 64 bits (the smallest integer; of i8 too), on every engine; anything but
// 0 is true, NaN included.

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

// The same bits in another dtype of as many bytes; of 16-bit floats those of the low half of an int32.
template <class To, class From>
FUSER_FN To bitcast(From value) {
  To result{};
  if constexpr (sizeof(To) == sizeof(From)) {
    __builtin_memcpy(&result, &value, sizeof(To));
  } else if constexpr (sizeof(From) == 2) {
    result = static_cast<To>(value.bits);
  } else {
    result.bits = static_cast<uint16>(value);
  }
  return result;
}

FUSER_FN BFloat16 bfloat16FromFloat(float value) {
  const uint32 bits = floatBits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return BFloat16{0x7fc0};  // every NaN becomes the quiet one
  return BFloat16{static_cast<uint16>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}
FUSER_FN float floatFromBfloat16(BFloat16 value) { return floatFromBits(static_cast<uint32>(value.bits) << 16); }

FUSER_FN Half halfFromFloat(float value) {
  const uint32 bits = floatBits(value);
  const uint32 sign = (bits >> 16) & 0x8000u;
  const uint32 magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return Half{static_cast<uint16>(sign | 0x7e00u)};
  if (magnitude >= 0x477ff000u) return Half{static_cast<uint16>(sign | 0x7c00u)};  // 65520 and above round to infinity
  if (magnitude < 0x38800000u) {  // below 2^-14: denormal, in units of 2^-24
    if (magnitude < 0x33000000u) return Half{static_cast<uint16>(sign)};  // below 2^-25
    const uint32 exponent = magnitude >> 23;
    const uint32 mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    const uint32 shift = 126u - exponent;
    const uint32 quotient = mantissa >> shift;
    const uint32 remainder = mantissa & ((1u << shift) - 1u);
    const uint32 half = 1u << (shift - 1u);
    const uint32 up = remainder > half || (remainder == half && (quotient & 1u)) ? 1u : 0u;
    return Half{static_cast<uint16>(sign | (quotient + up))};
  }
  const uint32 rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return Half{static_cast<uint16>(sign | ((rounded - 0x38000000u) >> 13))};
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

FUSER_FN float widen(Half value) { return floatFromHalf(value); }
FUSER_FN float widen(BFloat16 value) { return floatFromBfloat16(value); }
FUSER_FN float widen(float value) { return value; }
FUSER_FN double widen(double value) { return value; }
FUSER_FN int64 widen(int64 value) { return value; }
FUSER_FN int32 widen(int32 value) { return value; }
FUSER_FN int8 widen(int8 value) { return value; }
FUSER_FN bool widen(bool value) { return value; }

// Conversion between arithmetic types; To is double, float, int64, int32, int8 or bool.
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
  static FUSER_FN int64 from(int64 value) { return value; }
  static FUSER_FN int64 from(int32 value) { return value; }
  static FUSER_FN int64 from(int8 value) { return value; }
  static FUSER_FN int64 from(bool value) { return value; }
};
template <>
struct Convert<int32> {
  static FUSER_FN int32 from(double value) {
    return value > -2147483649.0 && value < 2147483648.0 ? static_cast<int32>(value) : static_cast<int32>(1u << 31);
  }
  static FUSER_FN int32 from(float value) { return from(static_cast<double>(value)); }
  static FUSER_FN int32 from(int64 value) {
    return static_cast<int32>(static_cast<uint32>(static_cast<uint64>(value)));
  }
  static FUSER_FN int32 from(int32 value) { return value; }
  static FUSER_FN int32 from(int8 value) { return value; }
  static FUSER_FN int32 from(bool value) { return value; }
};
template <>
struct Convert<int8> {
  static FUSER_FN int8 from(double value) {
    return value > -129.0 && value < 128.0 ? static_cast<int8>(value) : static_cast<int8>(-128);
  }
  static FUSER_FN int8 from(float value) { return from(static_cast<double>(value)); }
  static FUSER_FN int8 from(int64 value) { return static_cast<int8>(static_cast<uint8>(static_cast<uint64>(value))); }
  static FUSER_FN int8 from(int32 value) { return static_cast<int8>(static_cast<uint8>(static_cast<uint32>(value))); }
  static FUSER_FN int8 from(int8 value) { return value; }
  static FUSER_FN int8 from(bool value) { return value; }
};
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

// Any storage type to any storage type: one rounding (two for f64 or an integer to 16 bits, as PyTorch).
template <class To, class From>
FUSER_FN To convert(From value) {
  return Convert<To>::from(widen(value));
}

}  // namespace fuser
