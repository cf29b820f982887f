#pragma once
// Rounding of f64 numbers to the floating dtypes, and their steps. Exact for every double: the oracle shares no
// conversion with the compiler under test.

#include "fuser/types/dtype.h"

namespace oracle {

// What the dtype can hold: p bits of precision, smallest normal 2^minExponent, largest finite number.
struct Format {
  int precision;
  int minExponent;
  double largest;
  double smallest;  // denormal
};
const Format& format(fuser::DataType dtype);

// The number that f16 or bf16 stores in these bits: sign, exponent, fraction from the highest bit down.
double numberOf16Bits(uint16_t bits, fuser::DataType dtype);

double roundTo16Bits(double value, fuser::DataType dtype);

// One rounding to nearest, ties to even; infinite where it overflows; NaN and infinities stay.
inline double roundOnce(double value, fuser::DataType dtype) {
  if (dtype == fuser::DataType::Double) return value;
  if (dtype == fuser::DataType::Float) return static_cast<double>(static_cast<float>(value));
  return roundTo16Bits(value, dtype);
}
// As the language converts: to f16 and bf16 through f32 (two roundings), otherwise one.
double convertTo(double value, fuser::DataType dtype);

// The distance of neighbours in the dtype at a finite value: 2^(e - p + 1) for |value| in [2^e, 2^(e+1)), never below
// the smallest denormal.
double ulp(double value, fuser::DataType dtype);

// The next double towards ±infinity, n times; from the other infinity to the largest finite number.
double down(double value, int n = 1);
double up(double value, int n = 1);

}  // namespace oracle
