#pragma once
// The arithmetic behind the op table's expressions, on arithmetic types (double, float, int64, int32, bool), as the host,
// the CPU engine and the device compile it. Included by C++ and printed in front of every kernel after
// device_types.cuh; C++ gets the library functions (sin, floor …) from <cmath>, CUDA has them built in.
//
// Signed arithmetic wraps. Division by zero and minimum / -1 are defined here, once: x / 0 = 0, x mod 0 = 0,
// minimum / -1 = minimum (PyTorch raises or traps; the generator stays away).

namespace fuser {

FUSER_FN bool isNan(float a) { return a != a; }
FUSER_FN bool isNan(double a) { return a != a; }
FUSER_FN bool isNan(int64) { return false; }
FUSER_FN bool isNan(int32) { return false; }
FUSER_FN bool isNan(bool) { return false; }

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

FUSER_FN float add(float a, float b) { return a + b; }
FUSER_FN double add(double a, double b) { return a + b; }
FUSER_FN int64 add(int64 a, int64 b) { return static_cast<int64>(static_cast<uint64>(a) + static_cast<uint64>(b)); }
FUSER_FN int32 add(int32 a, int32 b) { return static_cast<int32>(static_cast<uint32>(a) + static_cast<uint32>(b)); }
FUSER_FN bool add(bool a, bool b) { return a || b; }

FUSER_FN float sub(float a, float b) { return a - b; }
FUSER_FN double sub(double a, double b) { return a - b; }
FUSER_FN int64 sub(int64 a, int64 b) { return static_cast<int64>(static_cast<uint64>(a) - static_cast<uint64>(b)); }
FUSER_FN int32 sub(int32 a, int32 b) { return static_cast<int32>(static_cast<uint32>(a) - static_cast<uint32>(b)); }

FUSER_FN float mul(float a, float b) { return a * b; }
FUSER_FN double mul(double a, double b) { return a * b; }
FUSER_FN int64 mul(int64 a, int64 b) { return static_cast<int64>(static_cast<uint64>(a) * static_cast<uint64>(b)); }
FUSER_FN int32 mul(int32 a, int32 b) { return static_cast<int32>(static_cast<uint32>(a) * static_cast<uint32>(b)); }
FUSER_FN bool mul(bool a, bool b) { return a && b; }

FUSER_FN float trueDiv(float a, float b) { return a / b; }
FUSER_FN double trueDiv(double a, double b) { return a / b; }

FUSER_FN float truncDiv(float a, float b) { return trunc(a / b); }
FUSER_FN double truncDiv(double a, double b) { return trunc(a / b); }
template <class T>
FUSER_FN T integerQuotient(T a, T b) {
  if (b == 0) return 0;
  if (b == -1) return sub(static_cast<T>(0), a);
  return a / b;
}
FUSER_FN int64 truncDiv(int64 a, int64 b) { return integerQuotient(a, b); }
FUSER_FN int32 truncDiv(int32 a, int32 b) { return integerQuotient(a, b); }

// Python's floor division of floats: exact where (a - fmod(a, b)) / b is, then rounded to the nearest whole number.
template <class T>
FUSER_FN T floatFloorDiv(T a, T b) {
  if (b == 0) return a / b;
  T remainder = fmod(a, b);
  T quotient = (a - remainder) / b;
  if (remainder != 0 && (b < 0) != (remainder < 0)) quotient = quotient - static_cast<T>(1);
  if (quotient == 0) return copysign(static_cast<T>(0), a / b);
  T whole = floor(quotient);
  if (quotient - whole > static_cast<T>(0.5)) whole = whole + static_cast<T>(1);
  return whole;
}
FUSER_FN float floorDiv(float a, float b) { return floatFloorDiv(a, b); }
FUSER_FN double floorDiv(double a, double b) { return floatFloorDiv(a, b); }
template <class T>
FUSER_FN T integerFloorDiv(T a, T b) {
  T quotient = integerQuotient(a, b);
  if (b == 0 || b == -1) return quotient;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
FUSER_FN int64 floorDiv(int64 a, int64 b) { return integerFloorDiv(a, b); }
FUSER_FN int32 floorDiv(int32 a, int32 b) { return integerFloorDiv(a, b); }

// The sign of the dividend.
FUSER_FN float truncMod(float a, float b) { return fmod(a, b); }
FUSER_FN double truncMod(double a, double b) { return fmod(a, b); }
FUSER_FN int64 truncMod(int64 a, int64 b) { return b == 0 || b == -1 ? 0 : a % b; }
FUSER_FN int32 truncMod(int32 a, int32 b) { return b == 0 || b == -1 ? 0 : a % b; }

// The sign of the divisor.
template <class T>
FUSER_FN T floorMod(T a, T b) {
  T remainder = truncMod(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? add(remainder, b) : remainder;
}

FUSER_FN float negate(float a) { return -a; }
FUSER_FN double negate(double a) { return -a; }
FUSER_FN int64 negate(int64 a) { return sub(static_cast<int64>(0), a); }
FUSER_FN int32 negate(int32 a) { return sub(static_cast<int32>(0), a); }

FUSER_FN float absolute(float a) { return fabs(a); }
FUSER_FN double absolute(double a) { return fabs(a); }
FUSER_FN int64 absolute(int64 a) { return a < 0 ? negate(a) : a; }
FUSER_FN int32 absolute(int32 a) { return a < 0 ? negate(a) : a; }

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

// Whole numbers stay what they are.
FUSER_FN float roundDown(float a) { return floor(a); }
FUSER_FN double roundDown(double a) { return floor(a); }
FUSER_FN int64 roundDown(int64 a) { return a; }
FUSER_FN int32 roundDown(int32 a) { return a; }
FUSER_FN float roundUp(float a) { return ceil(a); }
FUSER_FN double roundUp(double a) { return ceil(a); }
FUSER_FN int64 roundUp(int64 a) { return a; }
FUSER_FN int32 roundUp(int32 a) { return a; }
FUSER_FN float roundToZero(float a) { return trunc(a); }
FUSER_FN double roundToZero(double a) { return trunc(a); }
FUSER_FN int64 roundToZero(int64 a) { return a; }
FUSER_FN int32 roundToZero(int32 a) { return a; }

// 1 / (1 + exp(-a)), each step rounded.
template <class T>
FUSER_FN T logistic(T a) {
  return static_cast<T>(1) / (static_cast<T>(1) + exp(-a));
}

}  // namespace fuser
