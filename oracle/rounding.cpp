#include "oracle/rounding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace oracle {

using fuser::DataType;

const Format& format(DataType dtype) {
  static constexpr Format kDouble{53, -1022, std::numeric_limits<double>::max(), 0x1p-1074};
  static constexpr Format kFloat{24, -126, 0x1.fffffep127, 0x1p-149};
  static constexpr Format kHalf{11, -14, 65504, 0x1p-24};
  static constexpr Format kBFloat16{8, -126, 0x1.fep127, 0x1p-133};
  static constexpr Format kFloat8E4M3{4, -6, 448, 0x1p-9, false};
  static constexpr Format kFloat8E5M2{3, -14, 57344, 0x1p-16};
  switch (dtype) {
    case DataType::Double: return kDouble;
    case DataType::Float: return kFloat;
    case DataType::Half: return kHalf;
    case DataType::BFloat16: return kBFloat16;
    case DataType::Float8E4M3: return kFloat8E4M3;
    case DataType::Float8E5M2: return kFloat8E5M2;
    default: break;
  }
  FUSER_CHECK(false, dtype, " is not a floating dtype");
}

namespace {

// 2^exponent, for the exponents of normal doubles and, below, of denormal ones.
double powerOfTwo(int exponent) {
  return exponent >= -1022 ? std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52)
                           : std::ldexp(1.0, exponent);
}

// floor(log2 |value|) of a finite value; below any format's range for 0 and denormal doubles.
int exponentOf(double value) { return static_cast<int>((std::bit_cast<uint64_t>(value) >> 52) & 0x7ff) - 1023; }

// For floats of 16 and 8 bits: the step divides exactly, and a sum of 2^52 and more has no bits behind the point: its
// rounding decides ties as the format does.
double roundToStep(double value, const Format& to) {
  const int exponent = std::max(exponentOf(value), to.minExponent) - to.precision + 1;
  const double scaled = value * powerOfTwo(-exponent), whole = 0x1.8p52;
  const double rounded = ((scaled + whole) - whole) * powerOfTwo(exponent);
  if (std::fabs(rounded) > to.largest) return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

}  // namespace

double numberOfNarrow(uint16_t bits, DataType dtype) {
  const Format& from = format(dtype);
  const int fractionBits = from.precision - 1, signBit = static_cast<int>(8 * fuser::dtypeSize(dtype)) - 1;
  const int highestExponent = (1 << (signBit - fractionBits)) - 1;
  const int exponent = bits >> fractionBits & highestExponent;
  const int fraction = bits & ((1 << fractionBits) - 1);
  const double sign = bits >> signBit ? -1 : 1;
  if (!from.hasInfinities && exponent == highestExponent && fraction == (1 << fractionBits) - 1)
    return std::numeric_limits<double>::quiet_NaN();
  if (from.hasInfinities && exponent == highestExponent)
    return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  const int whole = exponent ? fraction + (1 << fractionBits) : fraction;
  return sign * whole * powerOfTwo(std::max(exponent, 1) - 1 + from.minExponent - fractionBits);
}

double roundToNarrow(double value, DataType dtype) {
  if (!std::isfinite(value) || value == 0) return value;
  return std::copysign(roundToStep(value, format(dtype)), value);
}

double convertTo(double value, DataType dtype) {
  if (dtype == DataType::Double) return value;
  const double single = roundOnce(value, DataType::Float);
  return dtype == DataType::Float ? single : roundOnce(single, dtype);
}

double ulp(double value, DataType dtype) {
  const Format& of = format(dtype);
  return powerOfTwo(std::max(exponentOf(value), of.minExponent) - of.precision + 1);
}

double down(double value, int n) { return -up(-value, n); }

// Numbers of one sign are ordered as their bits are; what crosses zero or meets an infinity goes step by step.
double up(double value, int n) {
  constexpr uint64_t kInfinityBits = uint64_t{0x7ff} << 52;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t steps = static_cast<uint64_t>(std::max(n, 0)), magnitude = bits & ~(uint64_t{1} << 63);
  const bool positive = bits == magnitude;
  if (positive && magnitude + steps <= kInfinityBits) return std::bit_cast<double>(bits + steps);
  if (!positive && magnitude < kInfinityBits && magnitude > steps) return std::bit_cast<double>(bits - steps);
  for (; n > 0; --n) value = std::nextafter(value, std::numeric_limits<double>::infinity());
  return value;
}

}  // namespace oracle
