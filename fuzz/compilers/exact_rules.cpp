#include "fuzz/compilers/exact_rules.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

constexpr std::string_view kOperand = "an operand is too wide";
constexpr std::string_view kSum = "the sum is too wide";
constexpr std::string_view kProduct = "the product is too wide";
constexpr std::string_view kQuotient = "the quotient is too near a whole number";
constexpr std::string_view kNoPower = "a divisor is no power of two";
constexpr std::string_view kZeroDivisor = "a divisor is 0";
constexpr std::string_view kShift = "it shifts too far";
constexpr std::string_view kSign = "a zero may have either sign";
constexpr std::string_view kRange = "the dtype has no such number";
constexpr std::string_view kCount = "the number of its terms is no power of two";

// What a dtype holds to the bit.
struct Room {
  int bits;     // of a multiple of the unit
  double most;  // magnitude
  int least;    // exponent of the unit: far from what may be flushed to zero
};
Room roomOf(DataType dtype) {
  switch (dtype) {
    case DataType::Double: return {53, 0x1p500, -500};
    case DataType::Float: return {24, 0x1p100, -100};
    case DataType::Half: return {11, 0x1p15, -10};
    case DataType::BFloat16: return {8, 0x1p100, -100};
    case DataType::Int64: return {53, 0x1p53, 0};  // as far as f64 shows it
    case DataType::Float8E4M3: return {4, 448, -5};
    case DataType::Float8E5M2: return {3, 0x1p15, -10};
    case DataType::Bool: return {53, 0x1p53, 0};
    default: break;
  }
  const auto most = static_cast<double>(integerRange(dtype).most);
  return {static_cast<int>(8 * dtypeSize(dtype)) - (isUnsigned(dtype) ? 0 : 1), most, 0};
}

// What all dtypes hold as which a target may hold the numbers.
Room roomOf(const HeldType& type) {
  Room room = roomOf(type.dtype);
  for (const DataType dtype : type.also) {
    const Room other = roomOf(dtype);
    room = {std::min(room.bits, other.bits), std::min(room.most, other.most), std::max(room.least, other.least)};
  }
  return room;
}

// Whether the target may divide floating point numbers for it.
bool mayBeFloating(const HeldType& type) {
  return isFloating(type.dtype) || std::any_of(type.also.begin(), type.also.end(), isFloating);
}

// Of a normal number that is not 0: the exponents of its lowest set bit; of a denormal one, as low as there are.
int unitOf(double number) {
  constexpr int kMantissa = 52, kBias = 1023;
  const auto bits = std::bit_cast<uint64_t>(number);
  const int exponent = static_cast<int>(bits >> kMantissa & 0x7ff) - kBias;
  const uint64_t mantissa = bits & ((uint64_t{1} << kMantissa) - 1);
  return mantissa == 0 ? exponent : exponent - kMantissa + std::countr_zero(mantissa);
}

bool isPowerOfTwo(double number) {
  return number != 0 && (std::bit_cast<uint64_t>(number) & ((uint64_t{1} << 52) - 1)) == 0;
}

double powerOfTwo(int exponent) {
  constexpr int kLeast = -1022, kMost = 1023;
  return std::bit_cast<double>(static_cast<uint64_t>(std::clamp(exponent, kLeast, kMost) + kMost) << 52);
}

// Whether every multiple of 2^unit up to the magnitude is a number of the dtype.
bool fits(double magnitude, int unit, const Room& room) {
  return magnitude <= room.most && unit >= room.least && magnitude <= powerOfTwo(unit + room.bits);
}

// The smaller unit of those that are not 0.
int commonUnit(double a, double b) {
  if (a == 0) return b == 0 ? 0 : unitOf(b);
  return b == 0 ? unitOf(a) : std::min(unitOf(a), unitOf(b));
}

bool sumFits(double a, double b, const Room& room) { return fits(std::abs(a) + std::abs(b), commonUnit(a, b), room); }

bool productFits(double a, double b, const Room& room) {
  return a == 0 || b == 0 || fits(std::abs(a) * std::abs(b), unitOf(a) + unitOf(b), room);
}

std::string_view ofQuotient(double a, double b, const HeldType& type, const Room& room) {
  if (b == 0) return kZeroDivisor;
  if (!mayBeFloating(type) || a == 0) return "";
  if (type.reciprocals && isFloating(type.dtype) && !isPowerOfTwo(b) && std::trunc(a / b) == a / b) return kQuotient;
  // As whole numbers of the smaller unit, a / b is 1 / |b| from the next whole number at least.
  const double unit = powerOfTwo(commonUnit(a, b));
  return fits(std::abs(a) / unit * (std::abs(b) / unit), 0, room) ? "" : kQuotient;
}

std::string_view ofConversion(double number, DataType dtype, const Room& room) {
  if (dtype == DataType::Bool) return "";
  const double kept = isFloating(dtype) ? number : std::trunc(number);
  return kept == 0                                  ? (number == 0 || !isFloating(dtype) ? "" : kRange)
         : fits(std::abs(kept), unitOf(kept), room) ? ""
                                                    : kRange;
}

// All terms of a + c * (b - a), in each way to write it: a, b, their difference, and c and 1 - c times each.
std::string_view ofInterpolation(double a, double b, double c, const Room& room) {
  const double spread = std::abs(a) + std::abs(b), weight = std::abs(c) + 1;
  const int units = commonUnit(a, b), weights = std::min(c == 0 ? 0 : unitOf(c), 0);
  return fits(spread + 2 * spread * weight, units + weights, room) ? "" : kSum;
}

}  // namespace

bool fits(double number, const HeldType& type) {
  return number == 0 || fits(std::abs(number), unitOf(number), roomOf(type));
}

std::string_view whyNotExact(ExactRule rule, std::span<const double> operands, const HeldType& type) {
  const Room room = roomOf(type);
  const double a = operands.front(), last = operands.back();
  if (rule == ExactRule::Convert) return ofConversion(a, type.dtype, room);
  for (const double operand : operands) {
    if (operand != 0 && !fits(std::abs(operand), unitOf(operand), room)) return kOperand;
  }
  switch (rule) {
    case ExactRule::Range: return std::abs(a) < powerOfTwo(room.bits) ? "" : kRange;
    case ExactRule::Keep:
    case ExactRule::Convert: return "";
    case ExactRule::Add: return sumFits(a, last, room) ? "" : kSum;
    case ExactRule::Multiply: return productFits(a, last, room) ? "" : kProduct;  // square has one operand
    case ExactRule::MultiplyAdd: {
      const double product = operands[1] * last;
      return productFits(operands[1], last, room) && sumFits(a, product, room) ? "" : kSum;
    }
    case ExactRule::Interpolate: return ofInterpolation(a, operands[1], last, room);
    case ExactRule::Invert:
    case ExactRule::Divide: {
      if (!isPowerOfTwo(last)) return kNoPower;
      const double quotient = operands.size() == 1 ? 1 / a : a / last;
      return quotient == 0 || fits(std::abs(quotient), unitOf(quotient), room) ? "" : kProduct;
    }
    case ExactRule::Quotient: return ofQuotient(a, last, type, room);
    case ExactRule::Multiple: return productFits(a, last, room) ? "" : kProduct;
    case ExactRule::Shift: {
      if (last < 0 || last >= static_cast<double>(8 * dtypeSize(type.dtype))) return kShift;
      return fits(std::abs(a) * std::exp2(last), 0, room) ? "" : kShift;
    }
    case ExactRule::Sign: return last == 0 ? kSign : "";
    case ExactRule::Total:
    case ExactRule::Average:
    case ExactRule::Product: break;
  }
  FUSER_CHECK(false, "bad ExactRule");
}

void NumberBounds::add(double number) {
  if (number == 0) return;
  areFinite = areFinite && std::isfinite(number);
  most = std::max(most, std::abs(number));
  unit = std::min(unit, unitOf(number));
}

bool fits(const NumberBounds& bounds, const HeldType& type) {
  return bounds.areFinite && fits(bounds.most, bounds.unit, roomOf(type));
}

bool isExactWithin(ExactRule rule, std::span<const NumberBounds> operands, const HeldType& type, int64_t terms) {
  const Room room = roomOf(type);
  const auto sum = [](const NumberBounds& a, const NumberBounds& b) {
    return NumberBounds{true, a.most + b.most, std::min(a.unit, b.unit)};
  };
  const auto product = [](const NumberBounds& a, const NumberBounds& b) {
    return NumberBounds{true, a.most * b.most, a.unit + b.unit};
  };
  const auto fit = [&](const NumberBounds& bounds) { return fits(bounds.most, bounds.unit, room); };
  if (operands.empty()) return false;
  for (const NumberBounds& operand : operands) {
    if (!operand.areFinite || (rule != ExactRule::Convert && !fit(operand))) return false;
  }
  const NumberBounds &a = operands.front(), &last = operands.back();
  switch (rule) {
    case ExactRule::Keep: return true;
    case ExactRule::Range: return a.most < powerOfTwo(room.bits);
    case ExactRule::Add: return fit(sum(a, last));
    case ExactRule::Multiply:
    case ExactRule::Multiple: return fit(product(a, last));
    case ExactRule::MultiplyAdd: {
      const NumberBounds multiplied = product(operands[1], last);
      return fit(multiplied) && fit(sum(a, multiplied));
    }
    case ExactRule::Convert:  // to integers without the fraction
      return type.dtype == DataType::Bool || fit({true, a.most, isFloating(type.dtype) ? a.unit : std::max(a.unit, 0)});
    case ExactRule::Average:
      if (!std::has_single_bit(static_cast<uint64_t>(terms))) return false;
      [[fallthrough]];
    case ExactRule::Total: return fit({true, static_cast<double>(terms) * a.most, a.unit});
    default: return false;
  }
}

void ExactTerms::add(double term) {
  const double magnitude = std::abs(term);
  total += magnitude;
  if (magnitude == 0) return;
  const int bit = unitOf(magnitude);
  unit = hasUnit ? std::min(unit, bit) : bit;
  hasUnit = true;
  largest *= std::max(magnitude, 1.0);
  smallest += std::min(bit, 0);
}

std::string_view whyNotExact(ExactRule rule, const ExactTerms& terms, const HeldType& type) {
  const Room room = roomOf(type);
  if (rule == ExactRule::Product) return fits(terms.largest, terms.smallest, room) ? "" : kProduct;
  if (rule == ExactRule::Average && !std::has_single_bit(static_cast<uint64_t>(terms.count))) return kCount;
  return terms.total == 0 || fits(terms.total, terms.unit, room) ? "" : kSum;
}

}  // namespace fuser::fuzz
