#pragma once
// The arithmetic behind the op table's expressions, on arithmetic types (double, float, integers, bool), as the host,
// the CPU engine and the device compile it. Included by C++ and printed in front of every kernel after
// device_types.cuh; C++ gets the library functions (sin, floor …) from <cmath>, CUDA has them built in.
//
// Signed arithmetic wraps. Division by zero and minimum / -1 are defined here, once: x / 0 = 0, x mod 0 = 0,
// minimum / -1 = minimum (PyTorch raises or traps; the generator stays away).

namespace fuser {

template <class T>
FUSER_FN bool isNan(T) {
  return false;
}
FUSER_FN bool isNan(float a) { return a != a; }
FUSER_FN bool isNan(double a) { return a != a; }

// The unsigned type of an integer type's width: unsigned arithmetic wraps.
template <class T>
struct Unsigned;
template <>
struct Unsigned<int64> {
  typedef uint64 type;
};
template <>
struct Unsigned<int32> {
  typedef uint32 type;
};
template <>
struct Unsigned<int16> {
  typedef uint16 type;
};
template <>
struct Unsigned<int8> {
  typedef uint8 type;
};
template <>
struct Unsigned<uint32> {
  typedef uint32 type;
};
template <>
struct Unsigned<uint16> {
  typedef uint16 type;
};
template <>
struct Unsigned<uint8> {
  typedef uint8 type;
};

// -1, which an unsigned type has not.
template <class T>
FUSER_FN bool isMinusOne(T a) {
  return a < 0 && a == static_cast<T>(-1);
}

template <class T>
FUSER_FN T add(T a, T b) {
  typedef typename Unsigned<T>::type U;
  return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
}
FUSER_FN float add(float a, float b) { return a + b; }
FUSER_FN double add(double a, double b) { return a + b; }
FUSER_FN bool add(bool a, bool b) { return a || b; }

template <class T>
FUSER_FN T sub(T a, T b) {
  typedef typename Unsigned<T>::type U;
  return static_cast<T>(static_cast<U>(static_cast<U>(a) - static_cast<U>(b)));
}
FUSER_FN float sub(float a, float b) { return a - b; }
FUSER_FN double sub(double a, double b) { return a - b; }

template <class T>
FUSER_FN T mul(T a, T b) {
  typedef typename Unsigned<T>::type U;
  return static_cast<T>(static_cast<U>(1u * static_cast<U>(a) * static_cast<U>(b)));  // 16 bits as 32 without a sign
}
FUSER_FN float mul(float a, float b) { return a * b; }
FUSER_FN double mul(double a, double b) { return a * b; }
FUSER_FN bool mul(bool a, bool b) { return a && b; }

// The steps of formulas inside one row: each is rounded.
FUSER_FN float plus(float a, float b) { return a + b; }
FUSER_FN double plus(double a, double b) { return a + b; }
FUSER_FN float times(float a, float b) { return a * b; }
FUSER_FN double times(double a, double b) { return a * b; }
FUSER_FN float minus(float a, float b) { return plus(a, -b); }
FUSER_FN double minus(double a, double b) { return plus(a, -b); }
template <class T>
FUSER_FN T plus(T a, T b) {
  return add(a, b);
}
template <class T>
FUSER_FN T times(T a, T b) {
  return mul(a, b);
}

FUSER_FN float trueDiv(float a, float b) { return a / b; }
FUSER_FN double trueDiv(double a, double b) { return a / b; }

// Integers divide without a branch: a kernel has dozens of quotients in its indices, and with branches around each of
// them NVRTC took minutes (corpus/regressions/quotients-that-take-a-compiler-minutes.fusion).
template <class T>
FUSER_FN T nonTrapping(T divisor) {
  return divisor == 0 || isMinusOne(divisor) ? static_cast<T>(1) : divisor;
}
// By zero: 0.
template <class T>
FUSER_FN T truncDiv(T a, T b) {
  const T quotient = static_cast<T>(a / nonTrapping(b));
  return b == 0 ? static_cast<T>(0) : isMinusOne(b) ? sub(static_cast<T>(0), a) : quotient;
}
FUSER_FN float truncDiv(float a, float b) { return trunc(a / b); }
FUSER_FN double truncDiv(double a, double b) { return trunc(a / b); }

// Python's floor division of floats: exact where (a - fmod(a, b)) / b is, then rounded to the nearest whole number.
template <class T>
FUSER_FN T floatFloorDiv(T a, T b) {
  if (b == 0) return a / b;
  T remainder = fmod(a, b);
  T quotient = minus(a, remainder) / b;
  if (remainder != 0 && (b < 0) != (remainder < 0)) quotient = minus(quotient, static_cast<T>(1));
  if (quotient == 0) return copysign(static_cast<T>(0), a / b);
  T whole = floor(quotient);
  if (minus(quotient, whole) > static_cast<T>(0.5)) whole = plus(whole, static_cast<T>(1));
  return whole;
}
template <class T>
FUSER_FN T floorDiv(T a, T b) {
  const T quotient = truncDiv(a, b);
  const bool isBetween = a % nonTrapping(b) != 0;
  return static_cast<T>(quotient - (isBetween & ((a < 0) != (b < 0))));
}
FUSER_FN float floorDiv(float a, float b) { return floatFloorDiv(a, b); }
FUSER_FN double floorDiv(double a, double b) { return floatFloorDiv(a, b); }

// The sign of the dividend.
template <class T>
FUSER_FN T truncMod(T a, T b) {
  return static_cast<T>(a % nonTrapping(b));
}
FUSER_FN float truncMod(float a, float b) { return fmod(a, b); }
FUSER_FN double truncMod(double a, double b) { return fmod(a, b); }

// The sign of the divisor.
template <class T>
FUSER_FN T floorMod(T a, T b) {
  const T remainder = truncMod(a, b);
  const T other = plus(remainder, b);
  const bool isOnOtherSide = (remainder != 0) & ((remainder < 0) != (b < 0));
  return isOnOtherSide ? other : remainder;
}

template <class T>
FUSER_FN T negate(T a) {
  return sub(static_cast<T>(0), a);
}
FUSER_FN float negate(float a) { return -a; }
FUSER_FN double negate(double a) { return -a; }

template <class T>
FUSER_FN T absolute(T a) {
  return a < 0 ? negate(a) : a;
}
FUSER_FN float absolute(float a) { return fabs(a); }
FUSER_FN double absolute(double a) { return fabs(a); }
FUSER_FN bool absolute(bool a) { return a; }

// NaN wins; of +0 and -0 either may come.
template <class T>
FUSER_FN T maximum(T a, T b) {
  return isNan(a) || a > b ? a : b;
}
template <class T>
FUSER_FN T minimum(T a, T b) {
  return isNan(a) || a < b ? a : b;
}
// NaN loses.
template <class T>
FUSER_FN T maximumNumber(T a, T b) {
  return isNan(b) || a > b ? a : b;
}
template <class T>
FUSER_FN T minimumNumber(T a, T b) {
  return isNan(b) || a < b ? a : b;
}

template <class T>
FUSER_FN bool truth(T a) {
  return a != static_cast<T>(0);
}

// Whole numbers are finite.
template <class T>
FUSER_FN bool isInfinite(T) {
  return false;
}
FUSER_FN bool isInfinite(float a) { return a > 0x1.fffffep+127f; }
FUSER_FN bool isInfinite(double a) { return a > 0x1.fffffffffffffp+1023; }
template <class T>
FUSER_FN T opposite(T a) {
  return a;
}
FUSER_FN float opposite(float a) { return -a; }
FUSER_FN double opposite(double a) { return -a; }

// 0 for NaN.
template <class T>
FUSER_FN T signOf(T a) {
  return static_cast<T>((a > static_cast<T>(0)) - (a < static_cast<T>(0)));
}
FUSER_FN bool signOf(bool a) { return a; }

// NaN has no sign here: processors differ in the one that they give it.
template <class T>
FUSER_FN bool hasSign(T a) {
  return a < static_cast<T>(0);
}
FUSER_FN bool hasSign(float a) { return copysign(1.0f, a) < 0 && !isNan(a); }
FUSER_FN bool hasSign(double a) { return copysign(1.0, a) < 0 && !isNan(a); }
template <class T>
FUSER_FN T withSign(T a, T b) {
  return isNan(b) ? fabs(a) : copysign(a, b);
}

// Whole numbers stay what they are.
template <class T>
FUSER_FN T roundDown(T a) {
  return a;
}
FUSER_FN float roundDown(float a) { return floor(a); }
FUSER_FN double roundDown(double a) { return floor(a); }
template <class T>
FUSER_FN T roundUp(T a) {
  return a;
}
FUSER_FN float roundUp(float a) { return ceil(a); }
FUSER_FN double roundUp(double a) { return ceil(a); }
template <class T>
FUSER_FN T roundToZero(T a) {
  return a;
}
FUSER_FN float roundToZero(float a) { return trunc(a); }
FUSER_FN double roundToZero(double a) { return trunc(a); }
template <class T>
FUSER_FN T roundToEven(T a) {
  return a;
}
FUSER_FN float roundToEven(float a) { return rint(a); }
FUSER_FN double roundToEven(double a) { return rint(a); }

// Bits; of bools, the logical ops.
template <class T>
FUSER_FN T bitAnd(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
FUSER_FN T bitOr(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
FUSER_FN T bitXor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
FUSER_FN T bitNot(T a) {
  return static_cast<T>(~a);
}
FUSER_FN bool bitNot(bool a) { return !a; }

// A distance that is negative or not below the width: 0 to the left, all sign to the right, as PyTorch.
template <class T>
FUSER_FN T shiftLeft(T a, T b) {
  typedef typename Unsigned<T>::type U;
  const int width = 8 * static_cast<int>(sizeof(T));
  if (b < 0 || b >= static_cast<T>(width)) return 0;
  return static_cast<T>(static_cast<U>(static_cast<U>(a) << static_cast<int>(b)));
}
template <class T>
FUSER_FN T shiftRight(T a, T b) {
  const int width = 8 * static_cast<int>(sizeof(T));
  if (b < 0 || b >= static_cast<T>(width)) return a < 0 ? static_cast<T>(-1) : static_cast<T>(0);
  return static_cast<T>(a >> static_cast<int>(b));
}

// Euclid on magnitudes. The smallest integer is its own magnitude, and the sign may then be negative, as in PyTorch.
template <class T>
FUSER_FN T greatestDivisor(T a, T b) {
  a = absolute(a);
  b = absolute(b);
  while (a != 0) {
    const T rest = truncMod(b, a);
    b = a;
    a = rest;
  }
  return b;
}
// 8 and 16 bits are multiplied as 32, and the magnitude is taken before the result wraps.
template <class T>
FUSER_FN T leastMultiple(T a, T b) {
  const T divisor = greatestDivisor(a, b);
  if (divisor == 0) return 0;
  const T times = truncDiv(a, divisor);
  if constexpr (sizeof(T) < 4) {
    const int32 product = static_cast<int32>(static_cast<uint32>(times) * static_cast<uint32>(b));
    return static_cast<T>(static_cast<uint32>(absolute(product)));
  } else {
    return absolute(mul(times, b));
  }
}

// The first 64 bits that Philox4x32-10 gives for a counter and a key of 64 bits each, or the low ones that T has; of
// J. Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (SC11), whose numbers these are.
template <class T>
FUSER_FN T randomWord(T counter, T key) {
  const uint64 count = static_cast<uint64>(static_cast<int64>(counter));
  const uint64 seed = static_cast<uint64>(static_cast<int64>(key));
  uint32 x0 = static_cast<uint32>(count), x1 = static_cast<uint32>(count >> 32), x2 = 0, x3 = 0;
  uint32 k0 = static_cast<uint32>(seed), k1 = static_cast<uint32>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64 left = static_cast<uint64>(0xD2511F53u) * x0, right = static_cast<uint64>(0xCD9E8D57u) * x2;
    x0 = static_cast<uint32>(right >> 32) ^ x1 ^ k0;
    x1 = static_cast<uint32>(right);
    x2 = static_cast<uint32>(left >> 32) ^ x3 ^ k1;
    x3 = static_cast<uint32>(left);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return static_cast<T>(static_cast<int64>(static_cast<uint64>(x1) << 32 | x0));
}

// Integers: wrapping; to a negative power 1 / a^-b rounded to zero, 0 for a = 0.
template <class T>
FUSER_FN T power(T a, T b) {
  if (b < 0) return a == 1 ? static_cast<T>(1) : isMinusOne(a) ? static_cast<T>(b % 2 ? -1 : 1) : static_cast<T>(0);
  T result = 1;
  while (b != 0) {
    if (b & 1) result = mul(result, a);
    a = mul(a, a);
    b = static_cast<T>(b >> 1);
  }
  return result;
}
FUSER_FN float power(float a, float b) { return pow(a, b); }
FUSER_FN double power(double a, double b) { return pow(a, b); }

// --- formulas, each step rounded ---

// 1 / (1 + exp(-a))
template <class T>
FUSER_FN T logistic(T a) {
  return static_cast<T>(1) / plus(static_cast<T>(1), exp(-a));
}

// a / 2 * (1 + erf(a / sqrt(2)))
template <class T>
FUSER_FN T geluErf(T a) {
  const T part = erf(times(a, static_cast<T>(0.70710678118654752440)));
  return times(times(a, static_cast<T>(0.5)), plus(static_cast<T>(1), part));
}
// a / 2 * (1 + tanh(sqrt(2 / pi) * (a + 0.044715 a^3)))
template <class T>
FUSER_FN T geluTanh(T a) {
  const T cube = times(times(a, a), a);
  const T inner = times(static_cast<T>(0.79788456080286535588), plus(a, times(static_cast<T>(0.044715), cube)));
  return times(times(static_cast<T>(0.5), a), plus(static_cast<T>(1), tanh(inner)));
}
// sin(pi a) / (pi a), 1 at 0
template <class T>
FUSER_FN T cardinalSine(T a) {
  if (a == 0) return 1;
  const T angle = times(static_cast<T>(3.14159265358979323846), a);
  return sin(angle) / angle;
}
// log(exp(a) + exp(b)) and log2(2^a + 2^b), from the larger one; equal infinities are their own result
template <class T>
FUSER_FN T logAddExp(T a, T b) {
  if (a == b && isInfinite(fabs(a))) return a;
  return plus(maximum(a, b), log1p(exp(-fabs(minus(a, b)))));
}
template <class T>
FUSER_FN T logAddExp2(T a, T b) {
  if (a == b && isInfinite(fabs(a))) return a;
  const T rest = log1p(exp2(-fabs(minus(a, b))));
  return plus(maximum(a, b), times(rest, static_cast<T>(1.44269504088896340736)));  // 1 / ln 2
}
// From the nearer end, so that it gives b for c = 1.
template <class T>
FUSER_FN T interpolate(T a, T b, T c) {
  const T distance = minus(b, a);
  if (fabs(c) < static_cast<T>(0.5)) return plus(a, times(c, distance));
  return minus(b, times(distance, minus(static_cast<T>(1), c)));
}

// What Welford's method knows of `count` terms: their mean, and the sum of their squared distances from it.
template <class T>
struct WelfordPart {
  T mean;
  T squares;
  int64 count;
};

// Of the terms of both (Chan, Golub and LeVeque 1979, their 2.1). Every step is rounded. The larger part's mean moves,
// by at most half of the difference: so the rounding of that step stays below the spread of the terms. A part without
// terms changes nothing.
template <class T>
FUSER_FN WelfordPart<T> joinWelford(WelfordPart<T> a, WelfordPart<T> b) {
  if (a.count < b.count) {
    const WelfordPart<T> smaller = a;
    a = b;
    b = smaller;
  }
  if (b.count == 0) return a;
  WelfordPart<T> both;
  both.count = a.count + b.count;
  const T distance = minus(b.mean, a.mean);
  const T share = static_cast<T>(b.count) / static_cast<T>(both.count);
  both.mean = plus(a.mean, times(distance, share));
  const T between = times(times(times(distance, distance), static_cast<T>(a.count)), share);
  both.squares = plus(plus(a.squares, b.squares), between);
  return both;
}

// 2^floor(log2(a)) of a positive normal number.
FUSER_FN double leadingBit(double a) {
  uint64 bits;
  __builtin_memcpy(&bits, &a, 8);
  bits &= 0x7ff0000000000000u;
  __builtin_memcpy(&a, &bits, 8);
  return a;
}

// sum + left[0] * right[0] + … + left[15] * right[15], of 16-bit numbers widened, as tensor cores were seen to add
// (Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor cores", 2021): products are exact; all
// terms are cut at the last of 24 places of the largest one, added as integers, and the result is cut to f32.
FUSER_FN float addProducts(float sum, const float* left, const float* right) {
  double terms[17];
  terms[16] = static_cast<double>(sum);
  for (int k = 0; k < 16; ++k) terms[k] = static_cast<double>(left[k]) * static_cast<double>(right[k]);
  double largest = 0;
  bool isFinite = true;
  for (int k = 0; k < 17; ++k) {
    isFinite = isFinite && terms[k] - terms[k] == 0;
    largest = fabs(terms[k]) > largest ? fabs(terms[k]) : largest;
  }
  if (!isFinite) {
    for (int k = 0; k < 16; ++k) terms[16] += terms[k];
    return static_cast<float>(terms[16]);
  }
  if (largest == 0) return 0;
  const double unit = leadingBit(largest) * 1.1920928955078125e-07;  // 2^-23
  const double perUnit = 1 / unit;
  int64 total = 0;
  for (int k = 0; k < 17; ++k) total += static_cast<int64>(terms[k] * perUnit);
  int64 cut = 1;
  while (total / cut >= (1 << 24) || total / cut <= -(1 << 24)) cut *= 2;
  return static_cast<float>(static_cast<double>(total / cut * cut) * unit);
}

}  // namespace fuser
