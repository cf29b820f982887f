#include "oracle/sum.h"

#include <algorithm>
#include <bit>

#include "oracle/real_rules.h"
#include "oracle/rounding.h"

namespace oracle {

using fuser::DataType;

Accumulator accumulatorOf(DataType dtype, const Profile* profile, bool mayBeNarrow) {
  const DataType compute = fuser::computeType(dtype);
  const bool isNarrow = (mayBeNarrow || (profile && profile->narrowAccumulation)) && compute != dtype;
  const Format& of = format(isNarrow ? dtype : compute);
  const double roundoff = std::ldexp(1.0, -of.precision);
  // Rounded twice: to the dtype that computes, and to the narrow one.
  return {compute,
          of.precision,
          of.minExponent,
          of.largest,
          isNarrow ? roundoff * (1 + 0x1p-6) : roundoff,
          profile && profile->flushToZero};
}

Accumulator accumulatorOfMma() {
  Accumulator accumulator = accumulatorOf(DataType::Float, nullptr);
  accumulator.roundoff = 0x1p-22;
  accumulator.flushes = true;
  accumulator.byMma = true;
  return accumulator;
}

double gamma(int64_t n, double u) {
  const double product = static_cast<double>(n) * u;
  return product < 0.5 ? product / (1 - product) : kInfinity;
}

int lowestBit(double x) {
  int exponent = 0;
  const auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(std::fabs(x), &exponent), 53));
  return exponent - 53 + std::countr_zero(static_cast<uint64_t>(mantissa));
}

uint8_t onlyValue(const Interval& x) {
  const uint8_t specials = x.flags & kSpecials;
  return specials == kNan || specials == kPosInf || specials == kNegInf ? specials : 0;
}

Interval term(const Value& operand, int64_t offset) {
  const Interval& set = operand.realAt(offset);
  if (!operand.products) return set;
  const Unrounded& product = (*operand.products)[static_cast<size_t>(offset)];
  if (product.lo > product.hi) return set;  // a factor is no number
  constexpr double kLargest = std::numeric_limits<double>::max();
  return hull(set, {std::max(product.lo, -kLargest), std::min(product.hi, kLargest), kZeros});
}

void CompensatedSum::add(double x) {
  const double next = sum_ + x;
  correction_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - next) + x : (x - next) + sum_;
  sum_ = next;
}

void Grid::add(const Interval& x) {
  if (!x.isPoint()) isPoints_ = false;
  if (!x.isPoint() || x.lo == 0) return;
  unit_ = std::min(unit_, lowestBit(x.lo));
}

bool Grid::holds(double magnitude, const Accumulator& to) const {
  const bool keepsSmallest = !to.flushes || unit_ >= to.minExponent;
  return isPoints_ && keepsSmallest && magnitude < std::ldexp(1.0, std::min(unit_, 900) + to.precision);
}

void Sum::add(const Interval& x) {
  ++count_;
  flags_ |= x.flags & kSpecials;
  if (!x.hasRange()) {
    certainlySpecial_ = true;
    certain_ |= onlyValue(x);
    return;
  }
  grid_.add(x);
  lo_.add(x.lo);
  hi_.add(x.hi);
  magnitude_ += std::max(std::fabs(x.lo), std::fabs(x.hi));
  positive_ += std::max(x.hi, 0.0);
  negative_ -= std::min(x.lo, 0.0);
}

double Sum::roundedPartials(double error) const {
  if (accumulator_.byMma || accumulator_.flushes) return kInfinity;
  const double largest = (1 + error) * std::max(positive_, negative_);
  return static_cast<double>(count_ - 1) * accumulator_.roundoff * largest;
}

Interval Sum::result() const {
  if (count_ == 0) return {0, 0, kZeros};
  const bool exact = count_ == 1 || grid_.holds(magnitude_, accumulator_);
  const double error = exact ? 0 : gamma(std::min(depth_, count_ - 1), accumulator_.roundoff);
  Interval set;
  if (accumulator_.byMma && (flags_ & kInfs) && !(certain_ & kNan))
    return {-accumulator_.largest, accumulator_.largest, kZeros | kSpecials};
  // NaN in any order: a NaN among the terms, or infinities of both signs.
  if ((certain_ & kNan) || (certain_ & kInfs) == kInfs) {
    set.flags = kNan;
    return set;
  }
  set.flags = flags_;
  if ((flags_ & kInfs) == kInfs) set.flags |= kNan;
  // Every partial sum lies within these.
  const bool over = (1 + error) * positive_ > accumulator_.largest;
  const bool under = (1 + error) * negative_ > accumulator_.largest;
  if (over && count_ > 1) set.flags |= kPosInf;
  if (under && count_ > 1) set.flags |= kNegInf;
  if (count_ > 1 && over && under) set.flags |= kNan;
  if (count_ > 1 && ((over && (flags_ & kNegInf)) || (under && (flags_ & kPosInf)))) set.flags |= kNan;
  // A term that is certainly infinite or NaN leaves no finite result; one that may be does.
  if (certainlySpecial_) return set;
  const double n = static_cast<double>(count_);
  const double lost = accumulator_.flushes ? n * accumulator_.smallestNormal() : 0;
  // The sums of magnitudes are rounded at each term themselves.
  const double rounded = std::min(error * magnitude_, roundedPartials(error)) * (1 + 0x1p-40 + n * 0x1p-52);
  const double slack = exact ? 0 : rounded + n * n * 0x1p-104 * magnitude_ + lost;
  const double largest = format(accumulator_.compute).largest;
  const double ownLo = exact ? 0 : std::fabs(lo_.value()) * 0x1p-52;
  const double ownHi = exact ? 0 : std::fabs(hi_.value()) * 0x1p-52;
  // Beyond the range any number says the same.
  set.lo = std::clamp(lo_.value() - ownLo - slack, -largest * 2, largest * 2);
  set.hi = std::clamp(hi_.value() + ownHi + slack, -largest * 2, largest * 2);
  if (!(set.lo <= set.hi)) set.lo = -largest, set.hi = largest;  // the reference itself overflowed
  set.flags |= kZeros;
  return roundTo(set, accumulator_.compute);
}

}  // namespace oracle
