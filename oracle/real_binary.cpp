// Library functions of two operands, and nextafter. Single values are evaluated directly; ranges by their corners, if
// the function is monotone in each operand or in its magnitude; otherwise the result is the function's whole range.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "oracle/real_rules.h"
#include "oracle/rounding.h"

namespace oracle {

using fuser::DataType;
using fuser::OpKind;

namespace {

double evaluate(OpKind op, double a, double b) {
  if (op == OpKind::Pow) return std::pow(a, b);
  if (op == OpKind::Atan2) return std::atan2(a, b);
  FUSER_CHECK(op == OpKind::Hypot, "no function of two operands");
  return std::hypot(a, b);
}

// Values that no error moves: NaN, and what the C standard (Annex F) fixes for zeros, infinities and powers of 1 and 0.
bool isFixed(OpKind op, double a, double b, double value) {
  if (std::isnan(value)) return true;
  const bool special = a == 0 || b == 0 || !std::isfinite(a) || !std::isfinite(b);
  if (op == OpKind::Pow) return a == 1 || b == 0 || (special && (value == 0 || std::isinf(value) || value == 1));
  if (op == OpKind::Atan2) return special && value == 0;
  return special && (value == 0 || std::isinf(value));
}

Interval between(OpKind op, double lo, double hi, DataType compute) {
  const double largest = format(DataType::Double).largest;
  // Overflow of the reference itself, from finite operands: next to it an engine may stay finite, but not in f32.
  uint8_t flags = 0;
  if (std::isinf(lo) && compute == DataType::Double) flags = kPosInf | kNegInf;
  Interval result{lowerEnd(op, std::clamp(lo, -largest, largest), compute, MathLibrary::Any, lo != hi),
                  upperEnd(op, std::clamp(hi, -largest, largest), compute, MathLibrary::Any, lo != hi), 0};
  if (std::isinf(hi) && hi > 0) flags |= kPosInf;
  if (std::isinf(lo) && lo < 0) flags |= kNegInf;
  if (compute == DataType::Float && std::isinf(lo) && lo > 0) return {kInfinity, -kInfinity, kPosInf};
  if (compute == DataType::Float && std::isinf(hi) && hi < 0) return {kInfinity, -kInfinity, kNegInf};
  if (flags == kInfs) flags = lo > 0 ? kPosInf : hi < 0 ? kNegInf : kInfs;
  // No error changes the sign, of a zero that stands for an underflow neither.
  if (!std::signbit(lo) && result.lo <= 0) result.lo = 0, flags |= kPosZero;
  if (std::signbit(hi) && result.hi >= 0) result.hi = 0, flags |= kNegZero;
  if (result.lo < 0 && result.hi > 0) flags |= kZeros;
  result.flags = flags;
  return roundTo(result, compute);
}

Interval ofNumbers(OpKind op, const Interval& a, const Interval& b, DataType compute) {
  return hullOverSigns(a, b, [&](double x, double y) {
    const double value = evaluate(op, x, y);
    return isFixed(op, x, y, value) ? Interval::of(value) : between(op, value, value, compute);
  });
}

Interval atCorners(OpKind op, const Interval& a, const Interval& b, DataType compute) {
  const double corners[] = {evaluate(op, a.lo, b.lo), evaluate(op, a.lo, b.hi), evaluate(op, a.hi, b.lo),
                            evaluate(op, a.hi, b.hi)};
  const auto less = [](double x, double y) { return x < y || (x == y && std::signbit(x) && !std::signbit(y)); };
  const auto [lo, hi] = std::minmax_element(std::begin(corners), std::end(corners), less);
  return between(op, *lo, *hi, compute);
}

Interval anything(DataType compute) { return Interval::everything(format(compute).largest); }

// Of a range that holds no negative number: monotone in each operand; a pole at 0 for negative exponents.
Interval powerOfMagnitude(const Interval& a, const Interval& b, DataType compute) {
  if (a.lo > 0) return atCorners(OpKind::Pow, a, b, compute);
  if (b.lo > 0) {
    Interval result = atCorners(OpKind::Pow, {a.lo, a.hi, 0}, b, compute);
    result.flags |= kPosZero;
    return result;
  }
  return {0, format(compute).largest, kPosZero | kPosInf};
}

// Infinite exponents ask whether the magnitude is above 1; infinite numbers ask for the exponent's sign and oddness.
Interval powerWithInfinity(const Interval& a, const Interval& b) {
  Interval result;
  const auto add = [&](double value) { result = hull(result, Interval::of(value)); };
  if (b.has(kInfs)) {
    const Interval size = absolute(a);
    const bool grows = b.has(kPosInf);
    if (size.lo < 1) add(grows ? 0.0 : kInfinity);
    if (size.lo <= 1 && size.hi >= 1) add(1);
    if (size.hi > 1) add(grows ? kInfinity : 0.0);
    return result;
  }
  if (b.hasZero()) add(1);
  for (const double sign : {1.0, -1.0}) {
    if (sign < 0 && a.has(kPosInf)) continue;
    if (b.lo < 0) add(sign * 0.0);
    if (b.hi > 0) add(sign * kInfinity);
  }
  return result;
}

Interval powerOfParts(const Interval& a, const Interval& b, DataType compute) {
  if (a.isOneNumber() && b.isOneNumber()) return ofNumbers(OpKind::Pow, a, b, compute);
  if (a.has(kInfs) || b.has(kInfs)) return powerWithInfinity(a, b);
  if (a.lo >= 0 && !a.hasZero()) return powerOfMagnitude(a, b, compute);
  if (b.lo != b.hi) return anything(compute);
  const double exponent = b.lo;
  if (std::trunc(exponent) != exponent) {
    Interval result{kInfinity, -kInfinity, static_cast<uint8_t>(a.lo < 0 ? kNan : 0)};
    if (a.hi >= 0) result = hull(result, powerOfMagnitude({std::max(a.lo, 0.0), a.hi, kPosZero}, b, compute));
    return result;
  }
  if (std::fmod(exponent, 2.0) == 0) return powerOfMagnitude(absolute(a), b, compute);
  Interval result;
  if (a.hi >= 0) result = powerOfMagnitude({std::max(a.lo, 0.0), a.hi, kPosZero}, b, compute);
  if (a.lo <= 0) {
    const Interval size{std::max(0.0 - a.hi, 0.0), 0.0 - a.lo, kPosZero};
    result = hull(result, negate(powerOfMagnitude(size, b, compute)));
  }
  return result;
}

Interval power(const Interval& a, const Interval& b, DataType compute) {
  Interval result = overParts(a, b, [&](const Interval& x, const Interval& y) { return powerOfParts(x, y, compute); });
  // NaN to the power of 0, and 1 to the power of NaN, are 1.
  const auto isOnly = [](const Interval& set, double value) { return set.isOneNumber() && set.lo == value; };
  const bool mayBeOne = a.hasRange() && a.lo <= 1 && a.hi >= 1;
  if ((a.has(kNan) && b.hasZero()) || (b.has(kNan) && mayBeOne)) result = hull(result, Interval::of(1));
  if ((a.has(kNan) && !isOnly(b, 0)) || (b.has(kNan) && !isOnly(a, 1))) result.flags |= kNan;
  return result;
}

// The angle of (b, a): its extremes over a box that leaves the origin and the cut (b negative, a = 0) out lie in
// corners.
Interval angleOfParts(const Interval& a, const Interval& b, DataType compute) {
  if (a.isOneNumber() && b.isOneNumber()) return ofNumbers(OpKind::Atan2, a, b, compute);
  if (a.has(kInfs) || b.has(kInfs)) {
    // Beside an infinity, of the other operand the sign counts alone.
    const auto ends = [](const Interval& set) {
      return std::array{Interval{set.lo, set.lo, set.flags}, Interval{set.hi, set.hi, set.flags}};
    };
    Interval result;
    for (const Interval& x : a.has(kInfs) ? std::array{a, a} : ends(a)) {
      for (const Interval& y : b.has(kInfs) ? std::array{b, b} : ends(b)) {
        result = hull(result, ofNumbers(OpKind::Atan2, x, y, compute));
      }
    }
    return result;
  }
  if (b.lo > 0 || !a.hasZero()) {
    Interval result = atCorners(OpKind::Atan2, a, b, compute);
    if (result.hasZero()) result.flags |= kZeros;
    return result;
  }
  const Interval circle{lowerEnd(OpKind::Atan2, -std::numbers::pi, compute, MathLibrary::Any),
                        upperEnd(OpKind::Atan2, std::numbers::pi, compute, MathLibrary::Any), kZeros};
  return roundTo(circle, compute);
}

Interval angle(const Interval& a, const Interval& b, DataType compute) {
  Interval result = overParts(a, b, [&](const Interval& x, const Interval& y) { return angleOfParts(x, y, compute); });
  result.flags |= (a.flags | b.flags) & kNan;
  return result;
}

// Of magnitudes; infinite beside NaN too, in C.
Interval length(const Interval& a, const Interval& b, DataType compute) {
  Interval result{kInfinity, -kInfinity, static_cast<uint8_t>((a.flags | b.flags) & kNan)};
  if (a.has(kInfs) || b.has(kInfs)) result.flags |= kPosInf;
  if (a.hasRange() && b.hasRange()) {
    result = hull(result, atCorners(OpKind::Hypot, absolute(a), absolute(b), compute));
    if (result.hasZero()) result.flags |= kPosZero;
  }
  return result;
}

// The neighbour of a towards b, in the dtype.
Interval neighbour(const Interval& a, const Interval& b, DataType compute) {
  const auto next = [compute](double from, double to) {
    if (compute == DataType::Double) return std::nextafter(from, to);
    return static_cast<double>(std::nextafter(static_cast<float>(from), static_cast<float>(to)));
  };
  Interval result = overParts(a, b, [&](const Interval& x, const Interval& y) {
    if (x.isOneNumber() && y.isOneNumber()) {
      return hullOverSigns(x, y, [&](double from, double to) { return Interval::of(next(from, to)); });
    }
    if (x.has(kInfs)) return Interval::of(next(x.single(), 0));  // towards any finite number
    Interval neighbours{next(x.lo, -kInfinity), next(x.hi, kInfinity), 0};
    if (neighbours.hasZero()) neighbours.flags |= kZeros;
    return roundTo(neighbours, compute);
  });
  result.flags |= (a.flags | b.flags) & kNan;
  return result;
}

}  // namespace

Interval binaryFunction(OpKind op, const Interval& a, const Interval& b, DataType compute) {
  if (a.empty() || b.empty()) return {};
  if (op == OpKind::Nextafter) return neighbour(a, b, compute);
  if (a.isOneNumber() && b.isOneNumber()) return ofNumbers(op, a, b, compute);
  if (op == OpKind::Pow) return power(a, b, compute);
  if (op == OpKind::Atan2) return angle(a, b, compute);
  FUSER_CHECK(op == OpKind::Hypot, "no rule for a function of two operands");
  return length(a, b, compute);
}

}  // namespace oracle
