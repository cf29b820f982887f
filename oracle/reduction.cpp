// Reductions (oracle/ORACLE.md#5-reductions): the error bound of any summation tree of the recorded depth, overflow of
// partial results, bounds of products in any order, and selection (amax, any, …) over the axes.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "fuser/ir/tensor_view.h"
#include "oracle/real_rules.h"
#include "oracle/reduced_axes.h"
#include "oracle/rounding.h"
#include "oracle/slice.h"
#include "oracle/whole_rules.h"

namespace oracle {

using fuser::DataType;
using fuser::Dims;
using fuser::OpKind;

namespace {

// Unit roundoff of the dtype that accumulates.
double roundoff(DataType compute) { return std::ldexp(1.0, -format(compute).precision); }

// gamma_n = n u / (1 - n u) (N. J. Higham, Accuracy and stability of numerical algorithms, 2nd edition, lemma 3.1),
// infinite where it means nothing.
double gamma(int64_t n, double u) {
  const double product = static_cast<double>(n) * u;
  return product < 0.5 ? product / (1 - product) : kInfinity;
}

// Compensated sum (A. Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, 1974): error
// below 2^-52 |sum| + n^2 2^-104 sum|x|.
class CompensatedSum {
 public:
  void add(double x) {
    const double next = sum_ + x;
    correction_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  double value() const { return std::isfinite(sum_) ? sum_ + correction_ : sum_; }

 private:
  double sum_ = 0;
  double correction_ = 0;
};

// The exponent of the lowest set bit of a finite number other than 0: -1 for 2.5.
int lowestBit(double x) {
  int exponent = 0;
  const auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(std::fabs(x), &exponent), 53));
  return exponent - 53 + std::countr_zero(static_cast<uint64_t>(mantissa));
}

// A sum of points that is exact in every order: all terms are multiples of 2^g, and sum|x| < 2^(g + p), p the precision
// of the dtype that accumulates. Each partial sum is a multiple of 2^g below 2^(g + p), which that dtype holds.
class Grid {
 public:
  void add(const Interval& x) {
    if (!x.isPoint()) isPoints_ = false;
    if (!x.isPoint() || x.lo == 0) return;
    unit_ = std::min(unit_, lowestBit(x.lo));
  }
  // magnitude: sum|x| in f64. It is below the bound only where it is exact.
  bool holds(double magnitude, DataType compute) const {
    return isPoints_ && magnitude < std::ldexp(1.0, std::min(unit_, 900) + format(compute).precision);
  }

 private:
  bool isPoints_ = true;
  int unit_ = 900;  // g; the largest where all terms are 0
};

// The special value that a set without a range certainly is; 0 where it may be one of several.
uint8_t onlyValue(const Interval& x) {
  const uint8_t specials = x.flags & kSpecials;
  return specials == kNan || specials == kPosInf || specials == kNegInf ? specials : 0;
}

// Joins the terms of one result element, in any order.
class Sum {
 public:
  Sum(DataType compute, int64_t depth) : compute_(compute), depth_(depth) {}

  void add(const Interval& x) {
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

  Interval result() const {
    if (count_ == 0) return {0, 0, kZeros};
    const double u = roundoff(compute_);
    const bool exact = count_ == 1 || grid_.holds(magnitude_, compute_);
    const double error = exact ? 0 : gamma(std::min(depth_, count_ - 1), u);
    Interval set;
    // NaN in any order: a NaN among the terms, or infinities of both signs.
    if ((certain_ & kNan) || (certain_ & kInfs) == kInfs) {
      set.flags = kNan;
      return set;
    }
    set.flags = flags_;
    if ((flags_ & kInfs) == kInfs) set.flags |= kNan;
    // Every partial sum lies within these.
    const double largest = format(compute_).largest;
    const bool over = (1 + error) * positive_ > largest;
    const bool under = (1 + error) * negative_ > largest;
    if (over && count_ > 1) set.flags |= kPosInf;
    if (under && count_ > 1) set.flags |= kNegInf;
    if (count_ > 1 && over && under) set.flags |= kNan;
    if (count_ > 1 && ((over && (flags_ & kNegInf)) || (under && (flags_ & kPosInf)))) set.flags |= kNan;
    // A term that is certainly infinite or NaN leaves no finite result; one that may be does.
    if (certainlySpecial_) return set;
    const double n = static_cast<double>(count_);
    const double slack = exact ? 0 : error * magnitude_ * (1 + 0x1p-40) + n * n * 0x1p-104 * magnitude_;
    const double ownLo = exact ? 0 : std::fabs(lo_.value()) * 0x1p-52;
    const double ownHi = exact ? 0 : std::fabs(hi_.value()) * 0x1p-52;
    set.lo = std::max(lo_.value() - ownLo - slack, -largest * 2);
    set.hi = std::min(hi_.value() + ownHi + slack, largest * 2);
    if (!(set.lo <= set.hi)) set.lo = -largest, set.hi = largest;  // the reference itself overflowed
    set.flags |= kZeros;
    return roundTo(set, compute_);
  }

  double magnitude() const { return magnitude_; }

 private:
  DataType compute_;
  int64_t depth_;
  int64_t count_ = 0;
  uint8_t flags_ = 0;
  uint8_t certain_ = 0;  // specials that some term certainly is
  bool certainlySpecial_ = false;
  Grid grid_;
  CompensatedSum lo_;
  CompensatedSum hi_;
  double magnitude_ = 0;
  double positive_ = 0;
  double negative_ = 0;
};

// A product of points other than 0 that is exact in every order: with |x| = m 2^e, m odd, the product of all m is below
// 2^p, p the precision of the dtype that accumulates, and no partial product leaves the normal numbers.
class ExactProduct {
 public:
  void add(const Interval& x) {
    isPoints_ = isPoints_ && x.isPoint() && x.lo != 0;
    if (!isPoints_) return;
    const int e = lowestBit(x.lo);
    const double odd = std::ldexp(std::fabs(x.lo), -e);
    odd_ *= odd;  // exact while it is below 2^53
    isPoints_ = odd_ < 0x1p53;
    negative_ ^= x.lo < 0;
    (e < 0 ? down_ : up_) += e;
  }
  std::optional<double> result(DataType compute) const {
    const Format& of = format(compute);
    const bool fits = isPoints_ && odd_ < std::ldexp(1.0, of.precision) && down_ >= of.minExponent && up_ < 1000 &&
                      std::ldexp(odd_, static_cast<int>(up_)) <= of.largest;
    if (!fits) return std::nullopt;
    const double size = std::ldexp(odd_, static_cast<int>(up_ + down_));
    return negative_ ? -size : size;
  }

 private:
  bool isPoints_ = true, negative_ = false;
  double odd_ = 1;
  int64_t up_ = 0, down_ = 0;  // sums of the positive and of the negative e
};

// Magnitudes of a product in 80-bit numbers, whose range holds some hundred extreme factors; past it the bounds become
// 0 or infinite, which only widens them.
class Product {
 public:
  explicit Product(DataType compute) : compute_(compute) {}

  void add(const Interval& x) {
    ++count_;
    flags_ |= x.flags & kSpecials;
    note(x);
    if (!x.hasRange()) {
      certainlySpecial_ = true;
      certain_ |= onlyValue(x);
      certainlyInfinite_ |= (x.flags & kSpecials) != 0 && (x.flags & kNan) == 0;
      return;
    }
    exact_.add(x);
    certainlyZero_ |= (x.flags & kSpecials) == 0 && x.lo == 0 && x.hi == 0;
    const long double low = x.hasZero() ? 0 : std::min(std::fabs(x.lo), std::fabs(x.hi));
    const long double high = std::max(std::fabs(x.lo), std::fabs(x.hi));
    (low > 1 ? lowBig_ : lowSmall_) *= low;
    (high > 1 ? highBig_ : highSmall_) *= high;
    mayBeZero_ = mayBeZero_ || x.hasZero();
  }

  Interval result() const {
    if (count_ == 0) return Interval::of(1);
    const Format& of = format(compute_);
    if (!certainlySpecial_ && flags_ == 0) {
      if (const std::optional<double> product = exact_.result(compute_)) return Interval::of(*product);
    }
    const double error =
        count_ == 1 ? 0 : gamma(count_ - 1, roundoff(compute_)) + 0x1p-60 * static_cast<double>(count_);
    Interval set;
    // NaN in any order: a NaN among the factors, or an infinity and a zero.
    if ((certain_ & kNan) || (certainlyInfinite_ && certainlyZero_)) {
      set.flags = kNan;
      return set;
    }
    set.flags = flags_ & kNan;
    const bool overflow = count_ > 1 && !(highBig_ * (1 + error) <= of.largest);
    const bool underflow = count_ > 1 && !(lowSmall_ * (1 - error) >= std::ldexp(1.0L, of.minExponent));
    const bool infinite = (flags_ & kInfs) != 0 || overflow;
    if (infinite) set.flags |= signFlags(kPosInf, kNegInf);
    // Partial results that vanish meet infinite ones in some order.
    if (infinite && (mayBeZero_ || underflow)) set.flags |= kNan;
    if (certainlySpecial_) return set;
    long double low = lowBig_ * lowSmall_ * (1 - error);
    long double high = highBig_ * highSmall_ * (1 + error);
    if (underflow) low = 0;
    // A partial result below the normal numbers may be off by its whole size, and grow again with the big factors.
    if (underflow && !certainlyZero_)
      high = std::max(high, highBig_ * (1 + error) * (std::ldexp(1.0L, of.minExponent)));
    if (!(low >= 0)) low = 0;
    if (!(high <= of.largest)) high = 2 * static_cast<long double>(of.largest);
    const double outerLow = down(static_cast<double>(low));
    const double outerHigh =
        up(static_cast<double>(std::min(high, static_cast<long double>(std::numeric_limits<double>::max()))));
    const double lo = count_ == 1 || low == 0 ? static_cast<double>(low) : outerLow;
    const double hi = count_ == 1 || high == 0 ? static_cast<double>(high) : outerHigh;
    set.lo = mayBeNegative_ ? -hi : lo;
    set.hi = mayBePositive_ ? hi : -lo;
    if (set.hasZero()) set.flags |= kZeros;
    return roundTo(set, compute_);
  }

 private:
  void note(const Interval& x) {
    const bool positive = x.mayBePositive();
    const bool negative = x.mayBeNegative();
    const bool wasPositive = mayBePositive_;
    const bool wasNegative = mayBeNegative_;
    mayBePositive_ = (wasPositive && positive) || (wasNegative && negative);
    mayBeNegative_ = (wasPositive && negative) || (wasNegative && positive);
  }
  uint8_t signFlags(uint8_t positive, uint8_t negative) const {
    return (mayBePositive_ ? positive : 0) | (mayBeNegative_ ? negative : 0);
  }

  DataType compute_;
  ExactProduct exact_;
  int64_t count_ = 0;
  uint8_t flags_ = 0;
  uint8_t certain_ = 0;  // specials that some factor certainly is
  bool certainlySpecial_ = false;
  bool certainlyInfinite_ = false;
  bool certainlyZero_ = false;
  bool mayBeZero_ = false;
  bool mayBePositive_ = true;
  bool mayBeNegative_ = false;
  long double lowBig_ = 1;
  long double lowSmall_ = 1;
  long double highBig_ = 1;
  long double highSmall_ = 1;
};

Interval term(const Value& operand, int64_t offset) {
  const Interval& set = operand.realAt(offset);
  if (!operand.products) return set;
  const Unrounded& product = (*operand.products)[static_cast<size_t>(offset)];
  if (product.lo > product.hi) return set;  // a factor is no number
  constexpr double kLargest = std::numeric_limits<double>::max();
  return hull(set, {std::max(product.lo, -kLargest), std::min(product.hi, kLargest), kZeros});
}

Interval reduceReal(OpKind op, const Value& operand, const ReducedAxes& axes, int64_t base, DataType compute) {
  if (op == OpKind::Prod) {
    Product product(compute);
    forEachTerm(axes, base, [&](int64_t at) { product.add(operand.realAt(at)); });
    return product.result();
  }
  const bool max = op == OpKind::Amax;
  FUSER_CHECK(max || op == OpKind::Amin, "no reduction");
  Interval result = Interval::of(max ? -kInfinity : kInfinity);
  forEachTerm(axes, base, [&](int64_t at) {
    result = max ? maximum(result, operand.realAt(at)) : minimum(result, operand.realAt(at));
  });
  return result;
}

Whole reduceWhole(OpKind op, const Value& operand, const ReducedAxes& axes, int64_t base, DataType dtype) {
  if (op == OpKind::Sum) {
    __int128 lo = 0;
    __int128 hi = 0;
    forEachTerm(axes, base, [&](int64_t at) {
      lo += operand.wholeAt(at).lo;
      hi += operand.wholeAt(at).hi;
    });
    return wrapped(lo, hi, dtype);
  }
  const bool greatest = op == OpKind::Amax || op == OpKind::Any;
  const OpKind combine = op == OpKind::Prod ? OpKind::Mul : greatest ? OpKind::Maximum : OpKind::Minimum;
  const Whole full = fullRange(dtype);
  Whole result = op == OpKind::Prod ? Whole{1, 1} : greatest ? Whole{full.lo, full.lo} : Whole{full.hi, full.hi};
  forEachTerm(axes, base, [&](int64_t at) { result = binaryWhole(combine, result, operand.wholeAt(at), dtype); });
  return result;
}

}  // namespace

Value reduce(const fuser::Expr& expr, const Value& operand, int64_t depth, bool contraction) {
  const OpKind op = expr.op();
  const ReducedAxes axes = reducedAxes(operand, expr.attributes().dims());
  Value result;
  result.dtype = expr.output()->dtype();
  result.sizes = axes.sizes;
  result.strides = axes.strides;
  FUSER_CHECK(operand.dtype == result.dtype, fuser::opName(op), " of ", operand.dtype, " gives ", result.dtype);
  if (operand.whole) {
    result.whole =
        forEachResult<Whole>(axes, [&](int64_t base) { return reduceWhole(op, operand, axes, base, result.dtype); });
    return result;
  }
  Value terms = operand;
  if (!contraction) terms.products = nullptr;
  const DataType compute = fuser::computeType(result.dtype);
  if (op != OpKind::Sum && op != OpKind::Mean) {
    result.real = forEachResult<Interval>(
        axes, [&](int64_t base) { return roundTo(reduceReal(op, terms, axes, base, compute), result.dtype); });
    return result;
  }
  std::vector<double> scales;
  result.real = forEachResult<Interval>(axes, [&](int64_t base) {
    Sum sum(compute, depth);
    forEachTerm(axes, base, [&](int64_t at) { sum.add(term(terms, at)); });
    if (op == OpKind::Sum) {
      scales.push_back(sum.magnitude());
      return roundTo(sum.result(), result.dtype);
    }
    // The sum in the dtype that accumulates, divided by the count rounded to it. Of nothing: +0 / +0.
    const double count = roundOnce(static_cast<double>(fuser::numel(axes.reducedSizes)), compute);
    scales.push_back(count > 0 ? sum.magnitude() / count : 0);
    return roundTo(divide(sum.result(), Interval::of(count), compute), result.dtype);
  });
  result.scales = std::make_shared<const std::vector<double>>(std::move(scales));
  return result;
}

}  // namespace oracle
