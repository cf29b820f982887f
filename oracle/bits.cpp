#include "oracle/bits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "fuser/support/check.h"
#include "oracle/rounding.h"

namespace oracle {
namespace {

using fuser::DataType;

// The bits of the fraction, the bias of the exponent, and all bits.
struct Layout {
  int fraction;
  int bias;
  int bits;

  int64_t highestExponent() const { return (int64_t{1} << (bits - 1 - fraction)) - 1; }
};

Layout layoutOf(DataType dtype) {
  const Format& numbers = format(dtype);
  return {numbers.precision - 1, 1 - numbers.minExponent, static_cast<int>(8 * fuser::dtypeSize(dtype))};
}

Whole bitsOfNarrow(DataType dtype) { return {0, (int64_t{1} << layoutOf(dtype).bits) - 1}; }

// As the integer that holds them has them: signed, but of fewer than 32 bits. The number is one of the dtype, and not
// NaN.
int64_t bitsOf(double number, DataType dtype) {
  if (dtype == DataType::Double) return std::bit_cast<int64_t>(number);
  const Layout layout = layoutOf(dtype);
  const double magnitude = std::fabs(number);
  const int smallest = 1 - layout.bias;
  int64_t bits = 0;
  if (std::isinf(number)) {
    bits = layout.highestExponent() << layout.fraction;
  } else if (magnitude > 0) {
    const int exponent = std::max(std::ilogb(magnitude), smallest);
    const auto units = static_cast<int64_t>(std::ldexp(magnitude, layout.fraction - exponent));
    // The leading 1 of a normal number counts one up in the exponent, which a subnormal one has not.
    bits = (static_cast<int64_t>(exponent - smallest) << layout.fraction) + units;
  }
  if (std::signbit(number)) bits += int64_t{1} << (layout.bits - 1);
  return layout.bits == 32 ? static_cast<int32_t>(static_cast<uint32_t>(bits)) : bits;
}

double numberOf(int64_t bits, DataType dtype) {
  if (dtype == DataType::Double) return std::bit_cast<double>(bits);
  const Layout layout = layoutOf(dtype);
  const int64_t fraction = bits & ((int64_t{1} << layout.fraction) - 1);
  const auto exponent = static_cast<int>((bits >> layout.fraction) & layout.highestExponent());
  const bool isNegative = ((bits >> (layout.bits - 1)) & 1) != 0;
  double magnitude = 0;
  const bool hasInfinities = format(dtype).hasInfinities, isHighest = exponent == layout.highestExponent();
  if (isHighest && hasInfinities) {
    magnitude = fraction == 0 ? kInfinity : std::numeric_limits<double>::quiet_NaN();
  } else if (isHighest && fraction == (int64_t{1} << layout.fraction) - 1) {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  } else {
    const int64_t leading = exponent > 0 ? int64_t{1} << layout.fraction : 0;
    magnitude =
        std::ldexp(static_cast<double>(leading + fraction), std::max(exponent, 1) - layout.bias - layout.fraction);
  }
  return isNegative ? -magnitude : magnitude;
}

Whole bitsIn(const Interval& set, DataType from, DataType to) {
  if (set.has(kNan)) return fuser::isNarrowFloat(from) ? bitsOfNarrow(from) : fullRange(to);
  std::optional<Whole> bits;
  const auto add = [&](int64_t number) { bits = bits ? hull(*bits, Whole{number, number}) : Whole{number, number}; };
  // The magnitude counts up from that of a zero, in both signs.
  const int64_t zero = bitsOf(0.0, from), negativeZero = bitsOf(-0.0, from);
  if (set.hasRange() && set.hi > 0) {
    add(set.lo > 0 ? bitsOf(set.lo, from) : zero + 1);
    add(bitsOf(set.hi, from));
  }
  if (set.hasRange() && set.lo < 0) {
    add(set.hi < 0 ? bitsOf(set.hi, from) : negativeZero + 1);
    add(bitsOf(set.lo, from));
  }
  if (set.hasZero() && set.has(kPosZero)) add(zero);
  if (set.hasZero() && set.has(kNegZero)) add(negativeZero);
  if (set.has(kPosInf)) add(bitsOf(kInfinity, from));
  if (set.has(kNegInf)) add(bitsOf(-kInfinity, from));
  return bits.value_or(fullRange(to));
}

Interval numbersIn(const Whole& set, DataType to) {
  if (set.isSingle()) return Interval::of(numberOf(set.lo, to));
  const Interval anything = Interval::everything(format(to).largest);
  if (fuser::isNarrowFloat(to) && (set.lo < 0 || set.hi > bitsOfNarrow(to).hi)) return anything;
  const double first = numberOf(set.lo, to), last = numberOf(set.hi, to);
  const bool isOneSign =
      std::signbit(first) == std::signbit(last) && (fuser::isNarrowFloat(to) || (set.lo < 0) == (set.hi < 0));
  if (!isOneSign || !std::isfinite(first) || !std::isfinite(last)) return anything;
  Interval numbers = Interval::range(std::min(first, last), std::max(first, last), 0);
  if (numbers.hasZero()) numbers.flags = std::signbit(first) ? kNegZero : kPosZero;
  return numbers;
}

template <class To, class From, class Rule>
std::shared_ptr<const std::vector<To>> mapped(const std::vector<From>& sets, const Rule& rule) {
  std::vector<To> made;
  made.reserve(sets.size());
  for (const From& set : sets) made.push_back(rule(set));
  return std::make_shared<const std::vector<To>>(std::move(made));
}

}  // namespace

Value bitcastValue(const Value& value, DataType to) {
  Value result;
  result.dtype = to;
  result.sizes = value.sizes;
  result.strides = value.strides;
  if (value.real) {
    result.whole = mapped<Whole>(*value.real, [&](const Interval& set) { return bitsIn(set, value.dtype, to); });
  } else {
    result.real = mapped<Interval>(*value.whole, [&](const Whole& set) { return numbersIn(set, to); });
  }
  return result;
}

}  // namespace oracle
