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
  bool hasInfinities = true;  // else what is too large is NaN
};
const Format& format(fuser::DataType dtype);

// The number that a float of 16 or 8 bits encodes in these bits: sign, exponent, fraction, from the highest bit down.
double numberOfNarrow(uint16_t bits, fuser::DataType dtype);

double roundToNarrow(double value, fuser::DataType dtype);

// Rounds once, to nearest, ties to even; overflows to infinity, also where the dtype has none; keeps NaN and
// infinities.
inline double roundOnce(double value, fuser::DataType dtype) {
  if (dtype == fuser::DataType::Double) return value;
  if (dtype == fuser::DataType::Float) return static_cast<double>(static_cast<float>(value));
  return roundToNarrow(value, dtype);
}
// Converts as the language of fusions does: to 16 and 8 bits through f32 (two roundings), otherwise directly.
double convertTo(double value, fuser::DataType dtype);

// The distance between neighboring numbers of the dtype at a finite value: 2^(e - p + 1) for |value| in [2^e, 2^(e+1)),
// but at least the smallest denormal.
double ulp(double value, fuser::DataType dtype);

// The n-th next double toward -infinity or +infinity; the first after the opposite infinity is the largest finite one.
double down(double value, int n = 1);
double up(double value, int n = 1);

}  // namespace oracle
