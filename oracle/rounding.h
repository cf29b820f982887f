#pragma once
// Rounds f64 numbers to the floating dtypes and computes ulps, exactly for every double. The oracle shares no
// conversion with the compiler under test.

#include "fuser/types/dtype.h"

namespace oracle {

// The parameters of a floating dtype: precision in bits, smallest normal 2^minExponent, largest finite number.
struct Format {
  int precision;
  int minExponent;
  double largest;
  double smallest;  // denormal
};
const Format& format(fuser::DataType dtype);

// The number that f16 or bf16 encodes in these bits: sign, exponent, fraction, from the highest bit down.
double numberOf16Bits(uint16_t bits, fuser::DataType dtype);

double roundTo16Bits(double value, fuser::DataType dtype);

// Rounds once, to nearest, ties to even; overflows to infinity; keeps NaN and infinities.
inline double roundOnce(double value, fuser::DataType dtype) {
  if (dtype == fuser::DataType::Double) return value;
  if (dtype == fuser::DataType::Float) return static_cast<double>(static_cast<float>(value));
  return roundTo16Bits(value, dtype);
}
// Converts as the language of fusions does: to f16 and bf16 through f32 (two roundings), otherwise directly.
double convertTo(double value, fuser::DataType dtype);

// The distance between neighboring numbers of the dtype at a finite value: 2^(e - p + 1) for |value| in [2^e, 2^(e+1)),
// but at least the smallest denormal.
double ulp(double value, fuser::DataType dtype);

// The n-th next double toward -infinity or +infinity; the first after the opposite infinity is the largest finite one.
double down(double value, int n = 1);
double up(double value, int n = 1);

}  // namespace oracle
