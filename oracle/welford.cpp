// var and var_mean (oracle/ORACLE.md#5-reductions): what Welford's method may give, however the terms are split over
// threads and joined. With u the roundoff, A >= |x| for all terms, h the longest chain of updates and joins that a term
// goes through, L <= h of them joins of two threads' parts:
//
// The mean of k terms, updated by fl(m + fl(fl(x - m) / k)): three roundings, of at most 2A/k, 2A/k and A in units of
// u, on top of (1 - 1/k) of the error before. Times k and summed: E <= u A (h / 2 + 5). A join m_a + d f, f = n_b / n,
// adds the weighted mean of both errors, and roundings of at most (6 + 1) A in units of u. So
//     E = u A (h / 2 + 5 + 7 L)
// The sum of squares S = sum d e, with d = x - m before and e = x - m after the update, d e = (1 - 1/k) d^2. Its error
// is at most sum(|d| E + |e| E + E^2 + 3 u |d e|) + u h S <= 2 E sqrt(2 n S) + n E^2 + (h + 3) u S, by Cauchy and
// Schwarz. A join adds d^2 n_a n_b / n, at most 7 roundings of it, two roundings of S, and 2 E in d; over the tree the
// d^2 n_a n_b / n sum up to S at most, and the n_a n_b / n to n L / 2. Together
//     |error of S| <= 2.83 (1 + sqrt(L)) E sqrt(n S) + (1 + 2 L) n E^2 + (h + 10 + 2 L) u S
// which is c n u kappa in the form of Chan, Golub and LeVeque (1983). FMAs leave out roundings, so the bound holds with
// them. On ranges the standard deviation is a seminorm: sqrt(S) moves by at most the norm of the radii.

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuser/types/dims.h"
#include "oracle/real_rules.h"
#include "oracle/reduced_axes.h"
#include "oracle/rounding.h"
#include "oracle/slice.h"

namespace oracle {
namespace {

using LongReal = long double;  // 64 bits of precision: the reference's own error is 2^-11 of that of f64

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

  Interval mean(int64_t depth) const {
    if (count_ == 0) return Interval::of(std::numeric_limits<double>::quiet_NaN());
    // A term that is no number makes the mean one too: the infinity where it comes last, else NaN.
    Interval set{kInfinity, -kInfinity, flags_};
    if (flags_ != 0) set.flags |= kNan;
    if (certainlySpecial_) return set;
    // A distance beyond the range is infinite, and so are the mean and the product with what is left of the distance.
    if (overflows()) return Interval::everything(format(compute_).largest);
    const LongReal error = meanError(depth);
    LongReal lo = 0, hi = 0;
    for (const Interval& x : ranges_) {
      lo += x.lo;
      hi += x.hi;
    }
    const LongReal n = static_cast<LongReal>(count_);
    const LongReal slack = isConstant() ? 0 : error + roundingError();
    set.lo = down(static_cast<double>(lo / n - slack), 2);
    set.hi = up(static_cast<double>(hi / n + slack), 2);
    if (isConstant()) set.lo = set.hi = ranges_[0].lo;
    return finished(set);
  }

  // The sum of squares divided by max(0, count - correction).
  Interval variance(int64_t correction, int64_t depth) const {
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
  double roundoff() const { return std::ldexp(1.0, -format(compute_).precision); }
  // All the same number: every distance is exactly 0. (One term is such a case.)
  bool isConstant() const {
    return std::all_of(ranges_.begin(), ranges_.end(), [&](const Interval& x) {
      return x.lo == x.hi && x.lo == ranges_[0].lo && flags_ == 0;
    });
  }
  // A distance may leave the range.
  bool overflows() const { return !isConstant() && 2 * largest_ > format(compute_).largest; }
  double joins(int64_t depth) const {
    // 1024 threads at most; a join with a thread that has no terms changes nothing.
    return static_cast<double>(std::min({int64_t{10}, std::max<int64_t>(count_ - 1, 0), depth}));
  }
  LongReal meanError(int64_t depth) const {
    const LongReal steps = static_cast<LongReal>(depth) / 2 + 5 + 7 * joins(depth);
    return 1.01L * roundoff() * largest_ * steps + static_cast<LongReal>(depth + 5) * format(compute_).smallest;
  }
  // Of the reference's sums.
  LongReal roundingError() const { return static_cast<LongReal>(count_ + 2) * 0x1p-63L * largest_; }

  Interval finished(Interval set) const {
    if (set.hasZero()) set.flags |= kZeros;
    return roundTo(set, compute_);
  }

  Interval sumOfSquares(int64_t depth) const {
    if (isConstant()) return {0, 0, kZeros};
    LongReal middle = 0, radii = 0;
    for (const Interval& x : ranges_) {
      const LongReal radius = (static_cast<LongReal>(x.hi) - x.lo) / 2;
      middle += (static_cast<LongReal>(x.lo) + x.hi) / 2;
      radii += radius * radius;
    }
    if (overflows()) return Interval::everything(format(compute_).largest);
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
    Interval set{static_cast<double>(std::max<LongReal>(0, low * low - errorOf(low * low, depth))), 0, 0};
    // The error grows with S, so that the ends stay in order.
    const LongReal end = high * high + errorOf(high * high, depth);
    set.hi = up(static_cast<double>(std::min<LongReal>(end, std::numeric_limits<double>::max())), 2);
    set.lo = std::max(0.0, down(set.lo, 2));
    if (flags_ != 0) set.flags |= kNan;
    // d * d * n_a of a join is not divided yet.
    const LongReal product = 4 * static_cast<LongReal>(largest_) * largest_ * n;
    if (!(product * 1.01L <= format(compute_).largest)) set.flags |= kNan | kPosInf;
    return finished(set);
  }

  LongReal errorOf(LongReal squares, int64_t depth) const {
    const LongReal n = static_cast<LongReal>(count_), error = meanError(depth), u = roundoff();
    const LongReal levels = joins(depth), chain = static_cast<LongReal>(depth);
    const LongReal terms = 2.83L * (1 + std::sqrt(levels)) * error * std::sqrt(n * squares) +
                           (1 + 2 * levels) * n * error * error + (chain + 10 + 2 * levels) * u * squares;
    return 1.01L * terms + 8 * n * static_cast<LongReal>(format(compute_).smallest);
  }

  fuser::DataType compute_;
  int64_t count_ = 0;
  uint8_t flags_ = 0;
  bool certainlySpecial_ = false;
  double largest_ = 0;
  std::vector<Interval> ranges_;
};

}  // namespace

Value welford(const fuser::Expr& expr, size_t result, const Value& operand, int64_t depth) {
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
    const int64_t longest = std::min(depth, terms.count());
    const Interval set = result == 0 ? terms.variance(expr.attributes().correction(), longest) : terms.mean(longest);
    return roundTo(set, value.dtype);
  });
  return value;
}

}  // namespace oracle
