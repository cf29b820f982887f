// var and var_mean (oracle/ORACLE.md#5-reductions): what Welford's method may give, however the terms are split over
// accumulators and joined. WelfordError derives the bound of its error.

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuser/types/dims.h"
#include "oracle/real_rules.h"
#include "oracle/reduced_axes.h"
#include "oracle/rounding.h"
#include "oracle/slice.h"
#include "oracle/welford_error.h"

namespace oracle {
namespace {

// The terms of one result.
class Terms {
 public:
  explicit Terms(fuser::DataType compute) : compute_(compute) {}

  void add(const Interval& x) {
    ++count_;
    const uint8_t specials = x.flags & kSpecials;
    flags_ |= specials;
    if (!x.hasRange()) {
      certainlySpecial_ = true;
      return;
    }
    ranges_.push_back(x);
    largest_ = std::max({largest_, std::fabs(x.lo), std::fabs(x.hi)});
  }

  int64_t count() const { return count_; }

  Interval mean(fuser::ReductionDepth depth) const {
    if (count_ == 0) return Interval::of(std::numeric_limits<double>::quiet_NaN());
    // A term that is no number makes the mean one too: the infinity where it comes last, else NaN.
    Interval set{kInfinity, -kInfinity, flags_};
    if (flags_ != 0) set.flags |= kNan;
    if (certainlySpecial_) return set;
    // A distance beyond the range is infinite, and so are the mean and the product with what is left of the distance.
    if (overflows()) return Interval::everything(format(compute_).largest);
    const LongReal error = errorAt(depth, squaresAround().high).mean;
    LongReal lo = 0, hi = 0;
    for (const Interval& x : ranges_) {
      lo += x.lo;
      hi += x.hi;
    }
    const LongReal n = static_cast<LongReal>(count_);
    const LongReal slack = isConstant() ? 0 : error + roundingError();
    if (std::isinf(slack)) return Interval::everything(format(compute_).largest);
    set.lo = down(static_cast<double>(lo / n - slack), 2);
    set.hi = up(static_cast<double>(hi / n + slack), 2);
    if (isConstant()) set.lo = set.hi = ranges_[0].lo;
    return finished(set);
  }

  // The sum of squares divided by max(0, count - correction).
  Interval variance(int64_t correction, fuser::ReductionDepth depth) const {
    const LongReal divisor = static_cast<LongReal>(std::max<int64_t>(0, count_ - correction));
    // An infinite term is at an infinite distance from what is known so far, and infinity - infinity from it.
    if (count_ == 0 || certainlySpecial_) return Interval::of(std::numeric_limits<double>::quiet_NaN());
    Interval squares = sumOfSquares(depth);
    const bool mayBeZero = squares.hasRange() && squares.lo <= 0;
    if (divisor > 0) {
      const double rounded = roundOnce(static_cast<double>(divisor), compute_);
      return divide(squares, Interval::of(rounded), compute_);
    }
    Interval set{kInfinity, -kInfinity, static_cast<uint8_t>(squares.flags & kNan)};
    if (mayBeZero) set.flags |= kNan;
    if (squares.has(kNegInf) || squares.lo < 0) set.flags |= kNegInf;
    if (!squares.hasRange() || squares.hi > 0 || squares.has(kPosInf)) set.flags |= kPosInf;
    return set;
  }

 private:
  // All the same number: every distance is exactly 0. (One term is such a case.)
  bool isConstant() const {
    return std::all_of(ranges_.begin(), ranges_.end(),
                       [&](const Interval& x) { return x.lo == x.hi && x.lo == ranges_[0].lo && flags_ == 0; });
  }
  // A distance may leave the range.
  bool overflows() const { return !isConstant() && 2 * largest_ > format(compute_).largest; }
  // The error of var's sum of squares and of the mean, where the squares of the distances add up to `squares`.
  WelfordError errorAt(fuser::ReductionDepth depth, LongReal squares) const {
    LongReal lo = 0, hi = 0;
    for (const Interval& x : ranges_) {
      lo += x.lo;
      hi += x.hi;
    }
    const LongReal n = static_cast<LongReal>(count_);
    const LongReal mean = std::max(std::fabs(lo), std::fabs(hi)) / n + roundingError();
    return welfordError({count_, depth.updates, depth.joins}, {mean, largest_, std::sqrt(squares)}, compute_);
  }
  // Of the reference's sums.
  LongReal roundingError() const { return static_cast<LongReal>(count_ + 2) * 0x1p-63L * largest_; }

  Interval finished(Interval set) const {
    if (set.hasZero()) set.flags |= kZeros;
    return roundTo(set, compute_);
  }

  // The least and the largest sum of squared distances. The standard deviation is a seminorm: the root moves by at most
  // the norm of the radii.
  struct Squares {
    LongReal low, high;
  };
  Squares squaresAround() const {
    LongReal middle = 0, radii = 0;
    for (const Interval& x : ranges_) {
      const LongReal radius = (static_cast<LongReal>(x.hi) - x.lo) / 2;
      middle += (static_cast<LongReal>(x.lo) + x.hi) / 2;
      radii += radius * radius;
    }
    const LongReal n = static_cast<LongReal>(count_);
    middle /= n;
    LongReal squares = 0;
    for (const Interval& x : ranges_) {
      const LongReal distance = (static_cast<LongReal>(x.lo) + x.hi) / 2 - middle;
      squares += distance * distance;
    }
    const LongReal reference = (n + 4) * 0x1p-63L * squares + n * roundingError() * roundingError();
    const LongReal radius = std::sqrt(radii) * (1 + (n + 4) * 0x1p-63L);
    const LongReal low = std::max<LongReal>(0, std::sqrt(std::max<LongReal>(0, squares - reference)) - radius);
    const LongReal high = std::sqrt(squares + reference) + radius;
    return {low * low, high * high};
  }

  Interval sumOfSquares(fuser::ReductionDepth depth) const {
    if (isConstant()) return {0, 0, kZeros};
    if (overflows()) return Interval::everything(format(compute_).largest);
    const auto [low, high] = squaresAround();
    // S less its error is convex in sqrt(S), and not positive before it grows. Welford's squares are never negative.
    const LongReal end = high + errorAt(depth, high).squares;
    if (std::isinf(end)) return Interval::everything(format(compute_).largest);
    Interval set{static_cast<double>(std::max<LongReal>(0, low - errorAt(depth, low).squares)), 0, 0};
    set.hi = up(static_cast<double>(std::min<LongReal>(end, std::numeric_limits<double>::max())), 2);
    set.lo = std::max(0.0, down(set.lo, 2));
    if (flags_ != 0) set.flags |= kNan;
    // d * d * n_a of a join is not divided yet.
    const LongReal product = 4 * static_cast<LongReal>(largest_) * largest_ * static_cast<LongReal>(count_);
    if (!(product * 1.01L <= format(compute_).largest)) set.flags |= kNan | kPosInf;
    return finished(set);
  }

  fuser::DataType compute_;
  int64_t count_ = 0;
  uint8_t flags_ = 0;
  bool certainlySpecial_ = false;
  double largest_ = 0;
  std::vector<Interval> ranges_;
};

}  // namespace

Value welford(const fuser::Expr& expr, size_t result, const Value& operand, fuser::ReductionDepth depth) {
  const ReducedAxes axes = reducedAxes(operand, expr.attributes().dims());
  Value value;
  value.dtype = expr.output(result)->dtype();
  value.sizes = axes.sizes;
  value.strides = axes.strides;
  FUSER_CHECK(operand.dtype == value.dtype && operand.real, "a variance of ", operand.dtype, " gives ", value.dtype);
  const fuser::DataType compute = fuser::computeType(value.dtype);
  value.real = forEachResult<Interval>(axes, [&](int64_t base) {
    Terms terms(compute);
    forEachTerm(axes, base, [&](int64_t at) { terms.add(operand.realAt(at)); });
    const fuser::ReductionDepth longest{std::min(depth.updates, terms.count()),
                                        std::min(depth.joins, std::max<int64_t>(terms.count() - 1, 0))};
    const Interval set = result == 0 ? terms.variance(expr.attributes().correction(), longest) : terms.mean(longest);
    return roundTo(set, value.dtype);
  });
  return value;
}

}  // namespace oracle
