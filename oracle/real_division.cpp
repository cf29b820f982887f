// Truncating and floor division, fmod and remainder of floats, by PyTorch's formulas in the compute dtype. Single
// values are evaluated by the formula itself; ranges take the hull over the jumps of the quotient.

#include <algorithm>
#include <cmath>

#include "oracle/real_rules.h"
#include "oracle/rounding.h"

namespace oracle {

using fuser::DataType;
using fuser::OpKind;

namespace {

// torch.div(rounding_mode='floor') on floats: the quotient of what fmod leaves, moved down where the signs differ, then
// to the nearest whole number.
template <class T>
T floorQuotient(T a, T b) {
  if (b == 0) return a / b;
  const T rest = std::fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != 0 && std::signbit(rest) != std::signbit(b)) quotient -= 1;
  if (quotient == 0) return std::copysign(T{0}, a / b);
  const T below = std::floor(quotient);
  return quotient - below > T{0.5} ? below + 1 : below;
}

// torch.remainder: fmod with the sign of the divisor.
template <class T>
T flooredRest(T a, T b) {
  const T rest = std::fmod(a, b);
  return rest != 0 && std::signbit(rest) != std::signbit(b) ? rest + b : rest;
}

template <class T>
T formula(OpKind op, T a, T b) {
  if (op == OpKind::FloorDiv) return floorQuotient(a, b);
  if (op == OpKind::Fmod) return std::fmod(a, b);
  FUSER_CHECK(op == OpKind::Remainder);
  return flooredRest(a, b);
}

Interval quotientOfNumbers(OpKind op, const Interval& a, const Interval& b, DataType compute) {
  return hullOverSigns(a, b, [&](double x, double y) {
    return Interval::of(compute == DataType::Double
                            ? formula(op, x, y)
                            : static_cast<double>(formula(op, static_cast<float>(x), static_cast<float>(y))));
  });
}

double largestMagnitude(const Interval& a) { return std::max(std::fabs(a.lo), std::fabs(a.hi)); }

Interval floorOfRange(const Interval& a, const Interval& b, DataType compute) {
  const double corners[] = {a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi};
  const auto [lo, hi] = std::minmax_element(std::begin(corners), std::end(corners));
  // Below 2^(p-2) the formula gives the exact floor: the errors of its steps stay under a half. Beyond, a few ulps.
  const double exactBelow = std::ldexp(1.0, format(compute).precision - 2);
  const auto slack = [&](double q) { return std::fabs(q) < exactBelow ? 0 : 4 * ulp(q, compute) + 1; };
  Interval result{std::floor(down(*lo) - slack(*lo)), std::floor(up(*hi) + slack(*hi)), 0};
  if (result.hasZero()) result.flags |= kZeros;
  return roundTo(result, compute);
}

// fmod is exact, and rises with the dividend where the truncated quotient stays; elsewhere the hull over its jumps.
Interval fmodOfRange(const Interval& a, const Interval& b, DataType compute) {
  if (b.lo == b.hi && std::trunc(a.lo / b.lo) == std::trunc(a.hi / b.lo) && std::fabs(a.hi / b.lo) < 0x1p50 &&
      (a.lo >= 0 || a.hi <= 0)) {
    const Interval jump{std::fmod(a.lo, b.lo), std::fmod(a.hi, b.lo), 0};
    // The rounded quotient may hide a jump next to a whole number: then the ends are out of order or far apart.
    if (jump.lo <= jump.hi && jump.hi - jump.lo <= (a.hi - a.lo) * (1 + 0x1p-20)) {
      return roundTo({jump.lo, jump.hi, static_cast<uint8_t>(jump.hasZero() ? kZeros : 0)}, compute);
    }
  }
  const double bound = std::min(largestMagnitude(a), largestMagnitude(b));
  return {a.lo < 0 ? -bound : 0, a.hi > 0 ? bound : 0, kZeros};
}

Interval remainderOfRange(const Interval& a, const Interval& b, DataType compute) {
  const Interval rest = fmodOfRange(a, b, compute);
  if (b.lo > 0 && rest.lo >= 0 && !(rest.lo == 0 && a.lo < 0)) return rest;
  if (b.hi < 0 && rest.hi <= 0 && !(rest.hi == 0 && a.hi > 0)) return rest;
  if (b.lo == b.hi && rest.lo > 0) return add(rest, b, compute);
  if (b.lo == b.hi && rest.hi < 0) return add(rest, b, compute);
  return {b.lo < 0 ? b.lo : 0, b.hi > 0 ? b.hi : 0, kZeros};
}

// Finite numbers by an infinity: fmod leaves them; where the signs differ, the floored quotient is -1, and the rest is
// what the infinity leaves.
Interval byInfinity(OpKind op, const Interval& a, const Interval& b) {
  if (op == OpKind::Fmod) return a;
  const bool positive = b.has(kPosInf);
  const bool differ = positive ? a.lo < 0 : a.hi > 0;
  Interval alike =
      positive ? Interval{std::max(a.lo, 0.0), a.hi, a.flags} : Interval{a.lo, std::min(a.hi, 0.0), a.flags};
  if (alike.hasZero() && !alike.has(kZeros)) alike.flags |= kZeros;
  if (op == OpKind::Remainder) {
    if (differ) alike.flags |= b.flags & kInfs;
    return alike;
  }
  Interval result = differ ? Interval::of(-1) : Interval{};
  if (alike.hasRange()) result = hull(result, {0, 0, kZeros});
  return result;
}

Interval quotientOfParts(OpKind op, const Interval& a, const Interval& b, DataType compute) {
  if (a.isOneNumber() && b.isOneNumber()) return quotientOfNumbers(op, a, b, compute);
  const Interval nan = Interval::of(std::numeric_limits<double>::quiet_NaN());
  if (op == OpKind::FloorDiv) {
    if (b.lo == 0 && b.hi == 0) return divide(a, b, compute);
    if (b.hasZero()) return Interval::everything(format(compute).largest);
    if (a.has(kInfs)) return nan;
    return b.has(kInfs) ? byInfinity(op, a, b) : floorOfRange(a, b, compute);
  }
  if (a.has(kInfs) || (b.lo == 0 && b.hi == 0)) return nan;
  if (b.has(kInfs)) return byInfinity(op, a, b);
  Interval result = op == OpKind::Fmod ? fmodOfRange(a, b, compute) : remainderOfRange(a, b, compute);
  if (b.hasZero()) result.flags |= kNan;
  return result;
}

}  // namespace

Interval divisionRule(OpKind op, const Interval& a, const Interval& b, DataType compute) {
  // trunc(a / b), each step rounded.
  if (op == OpKind::TruncDiv) return roundToWhole(OpKind::Trunc, divide(a, b, compute));
  if (a.empty() || b.empty()) return {};
  Interval result =
      overParts(a, b, [&](const Interval& x, const Interval& y) { return quotientOfParts(op, x, y, compute); });
  result.flags |= (a.flags | b.flags) & kNan;
  return result;
}

}  // namespace oracle
