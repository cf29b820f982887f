// Reductions and scans (oracle/ORACLE.md#5-reductions): the error bound of any summation tree of the recorded depth,
// overflow of partial results, bounds of products in any order, and selection (amax, any, …) over the axes.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "fuser/ir/tensor_view.h"
#include "oracle/liberties.h"
#include "oracle/real_rules.h"
#include "oracle/reduced_axes.h"
#include "oracle/rounding.h"
#include "oracle/slice.h"
#include "oracle/sum.h"
#include "oracle/whole_rules.h"

namespace oracle {

using fuser::DataType;
using fuser::Dims;
using fuser::OpKind;

namespace {

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
  std::optional<double> result(const Accumulator& of) const {
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
  explicit Product(const Accumulator& accumulator) : accumulator_(accumulator) {}

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
    const Accumulator& of = accumulator_;
    const double largest = format(of.compute).largest;
    if (!certainlySpecial_ && flags_ == 0) {
      if (const std::optional<double> product = exact_.result(of)) return Interval::of(*product);
    }
    const double error = count_ == 1 ? 0 : gamma(count_ - 1, of.roundoff) + 0x1p-60 * static_cast<double>(count_);
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
    if (underflow && !certainlyZero_) {
      const long double lost = lostBelowNormal(error);
      low = std::max(low - lost, 0.0L);
      high += lost;
    }
    if (!(low >= 0)) low = 0;
    if (!(high <= largest)) high = 2 * static_cast<long double>(largest);
    const double outerLow = down(static_cast<double>(low));
    const double outerHigh =
        up(static_cast<double>(std::min(high, static_cast<long double>(std::numeric_limits<double>::max()))));
    const double lo = count_ == 1 || low == 0 ? static_cast<double>(low) : outerLow;
    const double hi = count_ == 1 || high == 0 ? static_cast<double>(high) : outerHigh;
    set.lo = mayBeNegative_ ? -hi : lo;
    set.hi = mayBePositive_ ? hi : -lo;
    if (set.hasZero()) set.flags |= kZeros;
    return roundTo(set, of.compute);
  }

 private:
  // What partial results below the normal numbers move the product by (oracle/ORACLE.md#5-reductions). Each product is
  // off by the smallest number at most, though it be rounded twice (flushed, by the smallest normal one), and that
  // grows again with the big factors. Twice that covers the products of two such errors, as long as 4 n^2 of them are
  // below 1. All that may be lost is a partial result just below the normal numbers.
  long double lostBelowNormal(double error) const {
    const Accumulator& of = accumulator_;
    const long double n = static_cast<long double>(count_);
    const long double big = highBig_ * (1 + error), normal = std::ldexp(1.0L, of.minExponent);
    const long double once = of.flushes ? normal : std::ldexp(1.0L, of.minExponent - of.precision + 1);
    return 4 * n * n * once <= 1 ? std::min(2 * (n - 1) * once, normal) * big : normal * big;
  }
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

  Accumulator accumulator_;
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

Interval reduceReal(OpKind op, const Value& operand, const ReducedAxes& axes, int64_t base,
                    const Accumulator& accumulator, const Profile* profile) {
  if (op == OpKind::Prod) {
    Product product(accumulator);
    forEachTerm(axes, base, [&](int64_t at) { product.add(operand.realAt(at)); });
    return product.result();
  }
  const bool max = op == OpKind::Amax;
  FUSER_CHECK(max || op == OpKind::Amin, "no reduction");
  Interval result = Interval::of(max ? -kInfinity : kInfinity);
  const bool mayDropNan = profile && profile->numberBesideNan;
  Interval all;  // every term: with a NaN what came before it may go, too, whatever the order
  forEachTerm(axes, base, [&](int64_t at) {
    const Interval& x = operand.realAt(at);
    result = max ? maximum(result, x) : minimum(result, x);
    if (mayDropNan) all = hull(all, x);
  });
  return mayDropNan && all.has(kNan) ? hull(result, all) : result;
}

// Whether some partial sum or product, in some order, may leave the dtype.
bool mayOverflow(OpKind op, const Value& operand, const ReducedAxes& axes, int64_t base, DataType dtype) {
  double sum = 0, product = 1;
  forEachTerm(axes, base, [&](int64_t at) {
    const Whole& x = operand.wholeAt(at);
    const double size = std::max(std::fabs(static_cast<double>(x.lo)), std::fabs(static_cast<double>(x.hi)));
    sum += size;
    product *= std::max(size, 1.0);
  });
  return (op == OpKind::Sum ? sum : product) * (1 + 0x1p-30) > static_cast<double>(fullRange(dtype).hi);
}

Whole reduceWhole(OpKind op, const Value& operand, const ReducedAxes& axes, int64_t base, DataType dtype,
                  const Profile* profile) {
  const bool adds = op == OpKind::Sum || op == OpKind::Prod;
  if (adds && profile && profile->anyOverflow && mayOverflow(op, operand, axes, base, dtype)) return fullRange(dtype);
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

// The sum in the dtype that accumulates, divided by the count rounded to it. Of nothing: +0 / +0. Under a profile
// either may be of the narrow dtype, as far as it has the count, and the quotient a product.
Interval meanOf(const Interval& sum, double terms, DataType dtype, const Profile* profile) {
  const DataType compute = fuser::computeType(dtype);
  const Interval count = Interval::of(roundOnce(terms, compute));
  if (!profile) return divide(sum, count, compute);
  const bool isNarrow = profile->narrowAccumulation && compute != dtype;
  const Interval dividend = isNarrow ? hull(sum, roundTo(sum, dtype)) : sum;
  const Interval divisor = isNarrow ? hull(count, roundTo(count, dtype)) : count;
  const Interval quotient = divide(dividend, divisor, compute);
  if (!profile->reciprocals) return quotient;
  const Interval reciprocal = divide(Interval::of(1), divisor, compute);
  const Interval factor = isNarrow ? hull(reciprocal, roundTo(reciprocal, dtype)) : reciprocal;
  return hull(quotient, multiply(dividend, factor, compute));
}

}  // namespace

namespace {

// The operand's sets as the terms of a floating sum: with products before their rounding where they may be contracted,
// and with zeros where small numbers may be flushed.
Value termsOf(const Value& operand, const Arithmetic& arithmetic) {
  const Profile* profile = arithmetic.profile;
  Value terms = operand;
  if (!(profile ? profile->contraction : arithmetic.contraction)) terms.products = nullptr;
  if (!profile || !profile->flushToZero) return terms;
  std::vector<Interval> sets;
  for (const Interval& set : *operand.real) {
    sets.push_back(flushed(set, *profile, fuser::computeType(operand.dtype)));
  }
  terms.real = std::make_shared<const std::vector<Interval>>(std::move(sets));
  return terms;
}

// The real results along one line of a scan, in order: sums and products of the terms so far, in any order.
class RealScan {
 public:
  RealScan(OpKind op, int64_t depth, const Accumulator& accumulator, const Profile* profile)
      : op_(op), mayDropNan_(profile && profile->numberBesideNan), sum_(accumulator, depth), product_(accumulator) {
    extreme_ = Interval::of(op == OpKind::Cummax ? -kInfinity : kInfinity);
  }

  Interval next(const Interval& x) {
    if (op_ == OpKind::Cumsum) {
      sum_.add(x);
      return sum_.result();
    }
    if (op_ == OpKind::Cumprod) {
      product_.add(x);
      return product_.result();
    }
    extreme_ = op_ == OpKind::Cummax ? maximum(extreme_, x) : minimum(extreme_, x);
    if (!mayDropNan_) return extreme_;
    all_ = hull(all_, x);
    return all_.has(kNan) ? hull(extreme_, all_) : extreme_;
  }
  double magnitude() const { return sum_.magnitude(); }

 private:
  OpKind op_;
  bool mayDropNan_;
  Sum sum_;
  Product product_;
  Interval extreme_, all_;
};

// The same of integers, which wrap.
class WholeScan {
 public:
  WholeScan(OpKind op, DataType dtype, const Profile* profile)
      : combine_(op == OpKind::Cumsum    ? OpKind::Add
                 : op == OpKind::Cumprod ? OpKind::Mul
                 : op == OpKind::Cummax  ? OpKind::Maximum
                                         : OpKind::Minimum),
        dtype_(dtype),
        mayBeAny_(profile && profile->anyOverflow && (op == OpKind::Cumsum || op == OpKind::Cumprod)) {}

  Whole next(const Whole& x) {
    const Whole full = fullRange(dtype_);
    const double size = std::max(std::fabs(static_cast<double>(x.lo)), std::fabs(static_cast<double>(x.hi)));
    size_ = combine_ == OpKind::Add ? size_ + size : std::max(size_, 1.0) * std::max(size, 1.0);
    last_ = isFirst_ ? x : binaryWhole(combine_, last_, x, dtype_);
    isFirst_ = false;
    return mayBeAny_ && size_ * (1 + 0x1p-30) > static_cast<double>(full.hi) ? full : last_;
  }

 private:
  OpKind combine_;
  DataType dtype_;
  bool mayBeAny_, isFirst_ = true;
  double size_ = 0;
  Whole last_;
};

}  // namespace

Value scanned(const fuser::Expr& expr, const Value& operand, const std::optional<fuser::ReductionDepth>& depth,
              const Arithmetic& arithmetic) {
  const Profile* profile = arithmetic.profile;
  const auto dim = static_cast<size_t>(expr.attributes().dim());
  const int64_t count = operand.sizes[dim];
  const ReducedAxes axes = reducedAxes(operand, {expr.attributes().dim()});
  Value result;
  result.dtype = operand.dtype;
  result.sizes = operand.sizes;
  result.strides = fuser::Dims(operand.sizes.size(), 1);  // a line of results stands together
  for (size_t axis = 0, kept = 0; axis < operand.sizes.size(); ++axis) {
    if (axis != dim) result.strides[axis] = axes.strides[kept++] * count;
  }
  if (operand.whole) {
    std::vector<Whole> sets;
    forEachOffset<1>(axes.stored, {axes.operand}, [&](const std::array<int64_t, 1>& base) {
      WholeScan scan(expr.op(), result.dtype, profile);
      forEachTerm(axes, base[0], [&](int64_t at) { sets.push_back(scan.next(operand.wholeAt(at))); });
    });
    result.whole = std::make_shared<const std::vector<Whole>>(std::move(sets));
    return result;
  }
  const Value terms = termsOf(operand, arithmetic);
  const Accumulator accumulator = accumulatorOf(result.dtype, profile);
  std::vector<Interval> sets;
  std::vector<double> scales;
  forEachOffset<1>(axes.stored, {axes.operand}, [&](const std::array<int64_t, 1>& base) {
    RealScan scan(expr.op(), depth ? depth->total() : count - 1, accumulator, profile);
    forEachTerm(axes, base[0], [&](int64_t at) {
      const Interval set = scan.next(expr.op() == OpKind::Cumsum ? term(terms, at) : terms.realAt(at));
      sets.push_back(profile ? settled(set, *profile, result.dtype) : roundTo(set, result.dtype));
      scales.push_back(scan.magnitude());
    });
  });
  result.real = std::make_shared<const std::vector<Interval>>(std::move(sets));
  if (expr.op() == OpKind::Cumsum) result.scales = std::make_shared<const std::vector<double>>(std::move(scales));
  return result;
}

Value anyReduced(const fuser::Expr& expr, size_t result, const Value& operand) {
  const ReducedAxes axes = reducedAxes(operand, expr.attributes().dims());
  Value like;
  like.sizes = axes.sizes;
  like.strides = axes.strides;
  like.real = forEachResult<Interval>(axes, [](int64_t) { return Interval{}; });
  return anyValue(like, expr.output(result)->dtype());
}

Value reduce(const fuser::Expr& expr, const Value& operand, fuser::ReductionDepth depth, const Arithmetic& arithmetic) {
  const Profile* profile = arithmetic.profile;
  const OpKind op = expr.op();
  const ReducedAxes axes = reducedAxes(operand, expr.attributes().dims());
  Value result;
  result.dtype = expr.output()->dtype();
  result.sizes = axes.sizes;
  result.strides = axes.strides;
  FUSER_CHECK(operand.dtype == result.dtype, fuser::opName(op), " of ", operand.dtype, " gives ", result.dtype);
  if (operand.whole) {
    result.whole = forEachResult<Whole>(
        axes, [&](int64_t base) { return reduceWhole(op, operand, axes, base, result.dtype, profile); });
    return result;
  }
  const Value terms = termsOf(operand, arithmetic);
  const Accumulator accumulator = depth.byMma ? accumulatorOfMma() : accumulatorOf(result.dtype, profile);
  const auto finished = [&](const Interval& set) {
    return profile ? settled(set, *profile, result.dtype) : roundTo(set, result.dtype);
  };
  if (op != OpKind::Sum && op != OpKind::Mean) {
    result.real = forEachResult<Interval>(
        axes, [&](int64_t base) { return finished(reduceReal(op, terms, axes, base, accumulator, profile)); });
    return result;
  }
  std::vector<double> scales;
  result.real = forEachResult<Interval>(axes, [&](int64_t base) {
    Sum sum(accumulator, depth.total());
    forEachTerm(axes, base, [&](int64_t at) { sum.add(term(terms, at)); });
    if (op == OpKind::Sum) {
      scales.push_back(sum.magnitude());
      return finished(sum.result());
    }
    const double terms = static_cast<double>(fuser::numel(axes.reducedSizes));
    scales.push_back(terms > 0 ? sum.magnitude() / terms : 0);
    return finished(meanOf(sum.result(), terms, result.dtype, profile));
  });
  result.scales = std::make_shared<const std::vector<double>>(std::move(scales));
  return result;
}

}  // namespace oracle
