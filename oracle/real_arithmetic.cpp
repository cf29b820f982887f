// Interval rules of the correctly rounded and the selecting ops (corners, signs, flags), and rounding of ranges.

#include <algorithm>
#include <cmath>

#include "oracle/real_rules.h"
#include "oracle/rounding.h"

namespace oracle {

using fuser::DataType;
using fuser::OpKind;

namespace {

// A range that holds zero says which zeros: where no rule said, both.
Interval settled(Interval set) {
  if (set.hasZero() && !set.has(kZeros)) set.flags |= kZeros;
  return set;
}

Interval withoutRange(uint8_t flags) { return {kInfinity, -kInfinity, flags}; }

// The zeros and infinities of a product or quotient carry the product of the signs.
struct Signs {
  bool same;
  bool opposite;
};
Signs signs(const Interval& a, const Interval& b) {
  return {(a.mayBePositive() && b.mayBePositive()) || (a.mayBeNegative() && b.mayBeNegative()),
          (a.mayBePositive() && b.mayBeNegative()) || (a.mayBeNegative() && b.mayBePositive())};
}
uint8_t zeros(Signs sign) { return (sign.same ? kPosZero : 0) | (sign.opposite ? kNegZero : 0); }
uint8_t infinities(Signs sign) { return (sign.same ? kPosInf : 0) | (sign.opposite ? kNegInf : 0); }

// Only a's infinities, and only b's values that are no infinities, and so on.
Interval infinitiesOf(const Interval& a) { return withoutRange(a.flags & kInfs); }
Interval finiteOf(const Interval& a) { return {a.lo, a.hi, static_cast<uint8_t>(a.flags & kZeros)}; }

}  // namespace

namespace {

Interval roundedWithin(const Interval& set, DataType dtype, double largest) {
  if (!set.hasRange()) return set;
  Interval result{roundOnce(set.lo, dtype), roundOnce(set.hi, dtype), set.flags};
  if ((result.lo > 0 && result.hi <= largest) || (result.hi < 0 && result.lo >= -largest)) {
    result.flags &= kSpecials;
    return result;
  }
  if (set.lo < 0 && result.hi >= 0) result.flags |= kNegZero;
  if (set.hi > 0 && result.lo <= 0) result.flags |= kPosZero;
  if (result.lo == -kInfinity || result.hi == -kInfinity) result.flags |= kNegInf;
  if (result.hi == kInfinity || result.lo == kInfinity) result.flags |= kPosInf;
  if (result.hi == -kInfinity || result.lo == kInfinity) return withoutRange(result.flags & kSpecials);
  result.lo = std::max(result.lo, -largest);
  result.hi = std::min(result.hi, largest);
  // Zero ends are kept without a sign: the flags have it.
  result.lo += 0.0;
  result.hi += 0.0;
  if (!result.hasZero()) result.flags &= kSpecials;
  return settled(result);
}

}  // namespace

Interval roundTo(const Interval& set, DataType dtype) {
  const Format& numbers = format(dtype);
  Interval result = roundedWithin(set, dtype, numbers.largest);
  if (!numbers.hasInfinities && result.has(kInfs)) {
    result.flags = static_cast<uint8_t>((result.flags & ~kInfs) | kNan);
  }
  return result;
}

Interval negate(const Interval& a) {
  uint8_t flags = a.flags & kNan;
  if (a.has(kPosInf)) flags |= kNegInf;
  if (a.has(kNegInf)) flags |= kPosInf;
  if (a.has(kPosZero)) flags |= kNegZero;
  if (a.has(kNegZero)) flags |= kPosZero;
  return {0.0 - a.hi, 0.0 - a.lo, flags};
}

Interval absolute(const Interval& a) {
  Interval result = withoutRange(a.flags & kNan);
  if (a.has(kInfs)) result.flags |= kPosInf;
  if (!a.hasRange()) return result;
  result.lo = a.hasZero() ? 0 : std::min(std::fabs(a.lo), std::fabs(a.hi));
  result.hi = std::max(std::fabs(a.lo), std::fabs(a.hi));
  if (result.lo == 0) result.flags |= kPosZero;
  return result;
}

Interval add(const Interval& a, const Interval& b, DataType compute) {
  uint8_t flags = (a.flags | b.flags) & kNan;
  if ((a.has(kPosInf) && b.has(kNegInf)) || (a.has(kNegInf) && b.has(kPosInf))) flags |= kNan;
  if ((a.has(kPosInf) && (b.hasRange() || b.has(kPosInf))) || (b.has(kPosInf) && a.hasRange())) flags |= kPosInf;
  if ((a.has(kNegInf) && (b.hasRange() || b.has(kNegInf))) || (b.has(kNegInf) && a.hasRange())) flags |= kNegInf;
  if (!a.hasRange() || !b.hasRange()) return withoutRange(flags);
  const bool bothNegativeZero = a.hasZero() && b.hasZero() && a.has(kNegZero) && b.has(kNegZero);
  const bool onlyZeros = a.lo == 0 && a.hi == 0 && b.lo == 0 && b.hi == 0;
  Interval result{a.lo + b.lo, a.hi + b.hi, flags};
  if (bothNegativeZero) result.flags |= kNegZero;
  if (!onlyZeros || (a.has(kPosZero) || b.has(kPosZero))) result.flags |= kPosZero;  // x - x is +0
  return roundTo(result, compute);
}

Interval addUnrounded(const Interval& a, const Unrounded& product, DataType compute) {
  if (product.lo > product.hi) return withoutRange(0);  // a factor is no number: as in the rounded sum
  // Beside a finite product, an infinity stays what it is: only the rounded product may be one itself.
  const auto special = static_cast<uint8_t>(a.flags & (kInfs | kNan));
  if (!a.hasRange()) return withoutRange(special);
  return roundTo({down(a.lo + product.lo), up(a.hi + product.hi), static_cast<uint8_t>(kZeros | special)}, compute);
}

Interval addProduct(const Interval& a, const Interval& rounded, const Unrounded& product, DataType compute) {
  const Interval special = withoutRange(rounded.flags & kSpecials);
  return hull(addUnrounded(a, product, compute), add(special, a, compute));
}

Unrounded unroundedProduct(const Interval& a, const Interval& b) {
  if (!a.hasRange() || !b.hasRange()) return {kInfinity, -kInfinity};
  const double corners[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  const auto [lo, hi] = std::minmax_element(std::begin(corners), std::end(corners));
  return {down(*lo), up(*hi)};
}

namespace {

// The products of which a factor is NaN or infinite.
uint8_t specialProducts(const Interval& a, const Interval& b) {
  uint8_t flags = (a.flags | b.flags) & kNan;
  if ((a.has(kInfs) && b.hasZero()) || (b.has(kInfs) && a.hasZero())) flags |= kNan;
  if (a.has(kInfs)) flags |= infinities(signs(infinitiesOf(a), b));
  if (b.has(kInfs)) flags |= infinities(signs(a, infinitiesOf(b)));
  return flags;
}

// Of three numbers of the compute dtype.
double fusedOf(double a, double b, double c, DataType compute) {
  if (compute == DataType::Double) return std::fma(a, b, c);
  return static_cast<double>(std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
}

}  // namespace

Interval multiplyAdd(const Interval& a, const Interval& b, const Interval& c, DataType compute) {
  if (a.isPoint() && b.isPoint() && c.isPoint()) {
    const double number = fusedOf(a.lo, b.lo, c.lo, compute);
    if (number != 0 && std::isfinite(number)) return Interval::of(number);
  }
  const Interval numbers = addUnrounded(c, unroundedProduct(a, b), compute);
  const uint8_t special = specialProducts(a, b);
  return special == 0 ? numbers : hull(numbers, add(withoutRange(special), c, compute));
}

Interval multiply(const Interval& a, const Interval& b, DataType compute) {
  const uint8_t flags = specialProducts(a, b);
  if (!a.hasRange() || !b.hasRange()) return withoutRange(flags);
  const double corners[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  const auto [lo, hi] = std::minmax_element(std::begin(corners), std::end(corners));
  return roundTo({*lo, *hi, static_cast<uint8_t>(flags | zeros(signs(finiteOf(a), finiteOf(b))))}, compute);
}

Interval divide(const Interval& a, const Interval& b, DataType compute) {
  uint8_t flags = (a.flags | b.flags) & kNan;
  if ((a.hasZero() && b.hasZero()) || (a.has(kInfs) && b.has(kInfs))) flags |= kNan;
  if (a.has(kInfs) && b.hasRange()) flags |= infinities(signs(infinitiesOf(a), finiteOf(b)));
  Interval result = withoutRange(0);
  if (a.hasRange() && b.has(kInfs)) {
    result = {0, 0, zeros(signs(finiteOf(a), infinitiesOf(b)))};
  }
  if (a.hasRange() && b.hasRange()) {
    const uint8_t sign = zeros(signs(finiteOf(a), finiteOf(b)));
    if (!b.hasZero()) {
      const double corners[] = {a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi};
      const auto [lo, hi] = std::minmax_element(std::begin(corners), std::end(corners));
      result = hull(result, {*lo, *hi, sign});
    } else {
      if (a.lo != 0 || a.hi != 0) flags |= infinities(signs(finiteOf(a), finiteOf(b)));
      if (b.lo != 0 || b.hi != 0) {
        const double largest = format(compute).largest;
        result = hull(result, {-largest, largest, static_cast<uint8_t>(sign | kInfs)});
      }
    }
  }
  result.flags |= flags;
  return roundTo(result, compute);
}

Interval squareRoot(const Interval& a, DataType compute) {
  Interval result = withoutRange(a.flags & (kNan | kPosInf));
  if (a.has(kNegInf) || (a.hasRange() && a.lo < 0)) result.flags |= kNan;
  if (!a.hasRange() || a.hi < 0) return result;
  result.lo = std::sqrt(std::max(a.lo, 0.0));
  result.hi = std::sqrt(a.hi);
  if (a.hasZero()) result.flags |= a.flags & kZeros;
  return roundTo(result, compute);
}

Interval relu(const Interval& a) {
  Interval result = withoutRange(a.flags & (kNan | kPosInf));
  if (a.hasRange()) {
    result.lo = std::max(a.lo, 0.0);
    result.hi = std::max(a.hi, 0.0);
  }
  if (a.has(kNegInf)) result = hull(result, {0, 0, kZeros});
  if (result.hasZero()) result.flags |= kZeros;  // either sign
  return result;
}

Interval roundToWhole(OpKind op, const Interval& a) {
  Interval result = a;
  if (!a.hasRange()) return result;
  const auto whole = [op](double value) {
    if (op == OpKind::Floor) return std::floor(value);
    if (op == OpKind::Ceil) return std::ceil(value);
    if (op == OpKind::Round) return std::nearbyint(value);  // ties to even
    FUSER_CHECK(op == OpKind::Trunc);
    return std::trunc(value);
  };
  result.lo = whole(a.lo) + 0.0;
  result.hi = whole(a.hi) + 0.0;
  result.flags &= kSpecials;
  // The zero that a value in (-1, 1) becomes has its sign.
  if (finiteOf(a).mayBePositive()) result.flags |= kPosZero;
  if (finiteOf(a).mayBeNegative()) result.flags |= kNegZero;
  return settled(result);
}

Interval fraction(const Interval& a, DataType compute) {
  Interval result = withoutRange(a.has(kNan | kInfs) ? kNan : 0);
  if (!a.hasRange()) return result;
  const double whole = std::trunc(a.lo);
  if (whole == std::trunc(a.hi)) {
    result = {a.lo - whole, a.hi - whole, result.flags};  // exact
  } else {
    result = {a.lo < 0 ? -1.0 : 0.0, a.hi > 0 ? 1.0 : 0.0, result.flags};
  }
  if (result.hasZero()) result.flags |= kPosZero;  // x - x is +0, and so is -0 - -0
  return result.lo == -1 || result.hi == 1 ? result : roundTo(result, compute);
}

Interval signOf(const Interval& a) {
  Interval result = withoutRange(0);
  if (a.has(kNan) || a.hasZero()) result = {0, 0, kPosZero};
  if (a.has(kPosInf) || (a.hasRange() && a.hi > 0)) result = hull(result, Interval::of(1));
  if (a.has(kNegInf) || (a.hasRange() && a.lo < 0)) result = hull(result, Interval::of(-1));
  return result;
}

Interval squared(const Interval& a, DataType compute) {
  const Interval size = absolute(a);
  return multiply(size, size, compute);
}

Interval withSign(const Interval& a, const Interval& b) {
  const Interval size = absolute(a);
  Interval result = withoutRange(0);
  if (b.mayBePositive() || b.has(kNan)) result = size;
  if (b.mayBeNegative()) result = hull(result, negate(size));
  return result;
}

Whole classified(OpKind op, const Interval& a) {
  const auto set = [](bool mayBeTrue, bool mayBeFalse) { return Whole{mayBeFalse ? 0 : 1, mayBeTrue ? 1 : 0}; };
  const bool finite = a.hasRange();
  if (op == OpKind::IsNan) return set(a.has(kNan), a.hasNumber());
  if (op == OpKind::IsInf) return set(a.has(kInfs), a.has(kNan) || finite);
  if (op == OpKind::IsFinite) return set(finite, a.has(kSpecials));
  if (op == OpKind::IsPosInf) return set(a.has(kPosInf), a.has(kNan | kNegInf) || finite);
  if (op == OpKind::IsNegInf) return set(a.has(kNegInf), a.has(kNan | kPosInf) || finite);
  if (op == OpKind::Signbit) return set(a.mayBeNegative(), a.mayBePositive() || a.has(kNan));
  FUSER_CHECK(op == OpKind::LogicalNot, "no rule for ", static_cast<int>(op));
  const Whole value = truth(a);
  return {1 - value.hi, 1 - value.lo};
}

namespace {

// Without NaN on either side.
Interval greaterOf(const Interval& a, const Interval& b) {
  Interval result = withoutRange((a.flags | b.flags) & kPosInf);
  if (a.has(kNegInf) && b.has(kNegInf)) result.flags |= kNegInf;
  const double floor = std::max(a.least(), b.least());  // nothing below this can come out
  for (const Interval* side : {&a, &b}) {
    if (!side->hasRange() || side->hi < floor) continue;
    result = hull(result, {std::max(side->lo, floor), side->hi, kZeros});
  }
  return result;
}

Interval withoutNan(const Interval& a) { return {a.lo, a.hi, static_cast<uint8_t>(a.flags & ~kNan)}; }

}  // namespace

Interval maximum(const Interval& a, const Interval& b) {
  Interval result = withoutRange(0);
  if (a.hasNumber() && b.hasNumber()) result = greaterOf(a, b);
  result.flags |= (a.flags | b.flags) & kNan;
  return result;
}

Interval minimum(const Interval& a, const Interval& b) { return negate(maximum(negate(a), negate(b))); }

Interval maximumNumber(const Interval& a, const Interval& b) {
  Interval result = withoutRange(a.flags & b.flags & kNan);
  if (a.hasNumber() && b.hasNumber()) result = hull(result, greaterOf(a, b));
  if (a.has(kNan)) result = hull(result, withoutNan(b));
  if (b.has(kNan)) result = hull(result, withoutNan(a));
  return result;
}

Interval minimumNumber(const Interval& a, const Interval& b) { return negate(maximumNumber(negate(a), negate(b))); }

Order compare(const Interval& a, const Interval& b) {
  Order order;
  order.unordered = a.has(kNan) || b.has(kNan);
  if (!a.hasNumber() || !b.hasNumber()) return order;
  order.less = a.least() < b.greatest();
  order.greater = a.greatest() > b.least();
  order.equal = (a.hasRange() && b.hasRange() && a.lo <= b.hi && b.lo <= a.hi) || (a.has(kPosInf) && b.has(kPosInf)) ||
                (a.has(kNegInf) && b.has(kNegInf));
  return order;
}

Whole truth(const Interval& a) {
  const bool mayBeTrue = a.has(kSpecials) || (a.hasRange() && (a.lo != 0 || a.hi != 0));
  const bool mayBeFalse = a.hasZero();
  return {mayBeFalse ? 0 : 1, mayBeTrue ? 1 : 0};
}

}  // namespace oracle
