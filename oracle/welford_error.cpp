// The error of Welford's method. u is the roundoff, c = steps.updates, L = steps.joins; m is the true mean, S the true
// sum of squared distances from it, D = sqrt(S). A hat marks what is computed; e_k = M^_k - m_k is the error of the
// mean of the k terms so far, d' = x - M^_(k-1), Delta = M^_k - M^_(k-1).
//
// The mean of one accumulator. d', its quotient by k and the sum are rounded:
//   k e_k = (k - 1) e_(k-1) + theta d' + k rho,
// where |theta| <= 2u (3u where k has to be rounded), |rho| <= u |M^_k|. The first update is exact. Either of these
// bounds rho:
//   - |M^_k| <= |m| + |m_k - m| + |e_k|, and |m_k - m| <= G / sqrt(k) by Cauchy and Schwarz, where G^2 is what the
//     accumulator's terms have of S: a rounding of a difference is charged to the spread;
//   - M^_k lies between two terms, as rounding is monotone, so that half a unit in the last place of the largest holds.
// With r = u |m| and a = 2/3, or r = that half unit and a = 0, summed over k (d_k^2 (k - 1) / k adds up to G^2):
//   |e_k| <= phi (r (k + 1) / 2 + u G (a sqrt(k) + t / sqrt(k))),   t = 1.42 theta / u + (a > 0 ? 1/2 : 0).
// phi = 1 / (1 - 4.2 u c) pays for errors in |M^_k| and d'.
//
// The mean of all. Call sqrt(sum over parts of n_t e_t^2) the norm of the errors. Of the accumulators it is at most
//   N_0 = phi (sqrt(n) r (c + 1) / 2 + u D (a c + t)),   0 where c < 2.
// A join averages two errors, which leaves the norm no larger, and rounds: the sum, by r or u |M^|, and the step d f
// with f = n_b / n <= 1/2, by 4u (6u) of |d| f. The joins of one level see d^2 n_a n_b / n sum up to D_l^2, and all
// D_l^2 to S. So
//   N = (N_0 + L (sqrt(n) r + u D [a > 0]) + 4u sqrt(L) D) / (1 - 6 (L + 1) u),   and the mean errs by N / sqrt(n).
//
// The squares of one accumulator. With Q_k the sum of squared distances of the first k terms from M^_k,
//   d' (x - M^_k) = Q_k - Q_(k-1) - Delta (k e_k + (k - 1) e_(k-1)),
// which is exact: a wrong mean costs nothing by itself. Q_n = S + n e_n^2. |Delta| <= |d'| (1 + theta) / k + |rho|, so
// that what the last term adds up to is at most 2 (1 + theta) D H + 9 H^2 with
//   H^2 = sum over accumulators and k >= 2 of e_k^2 k / (k - 1),
//   H <= phi (r sqrt(n P(c) / c) + u D sqrt(T(c))),
//   P(c) = sum of (k + 1)^2 k / (4 (k - 1)),   T(c) = sum of (a sqrt(k) + t / sqrt(k))^2 k / (k - 1),
// both over 2 <= k <= c.
//
// The squares of a join. With D_j the true difference of the means, w = n_a n_b / n and E the difference of their
// errors, w d'^2 = w D_j^2 + 2 w D_j E + w E^2. The w E^2 are what averaging takes from the square of the norm, at most
// N^2 in all (most where all of it goes in the last join), so that the middle terms add up to at most 2 D N. One term
// of S goes either to an accumulator or to joins: together the linear terms are at most 2 D sqrt((1.01 H)^2 + N^2).
//
// Roundings of products, and sums: in an accumulator 3u of a product and c - 1 sums, in joins 6u (9u) and 2 L sums, of
// numbers that add up to at most (D + 3.2 H + 1.5 N)^2. An FMA leaves a rounding out. With n_t e_t^2 that is
//   |error of S| <= 2 D sqrt((1.01 H)^2 + N^2) + 9 H^2 + N_0^2 + N^2 + gamma (D + 3.2 H + 1.5 N)^2
// where N = 0 without joins. It has the form c n u kappa of Chan, Golub and LeVeque (1983).

#include "oracle/welford_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracle/rounding.h"

namespace oracle {
namespace {

// How a mean is rounded: by `fixed`, and by u times `spread` of the terms' deviation.
struct MeanRounding {
  LongReal fixed;   // r
  LongReal spread;  // a
};

class Bound {
 public:
  Bound(const WelfordSteps& steps, LongReal deviation, LongReal u, bool countsAreExact)
      : n_(static_cast<LongReal>(steps.count)),
        c_(static_cast<LongReal>(steps.updates)),
        joins_(static_cast<LongReal>(steps.joins)),
        deviation_(deviation),
        u_(u),
        countsAreExact_(countsAreExact) {}

  WelfordError with(const MeanRounding& rounding) const {
    const LongReal accumulated = errorsOfAccumulators(rounding);
    const LongReal joined = joins_ == 0 ? 0 : errorsOfJoins(rounding, accumulated);
    const LongReal along = errorsAlong(rounding);
    const LongReal terms = deviation_ + 3.2L * along + 1.5L * joined;
    const LongReal linear = 2 * deviation_ * std::hypot(1.01L * along, joined);
    const LongReal quadratic = 9 * along * along + accumulated * accumulated + joined * joined;
    return {std::max(accumulated, joined) / std::sqrt(n_), linear + quadratic + gamma() * terms * terms};
  }

 private:
  LongReal phi() const { return 1 / (1 - 4.2L * u_ * c_); }
  LongReal tail(LongReal a) const {
    const LongReal theta = countsAreExact_ ? 2.01L : 3.02L;
    return 1.42L * theta + (a > 0 ? 0.5L : 0);
  }
  // 1/1 + 1/2 + … + 1/(c - 1), at most.
  LongReal harmonic() const { return 1 + std::log(c_ - 1); }

  // N_0
  LongReal errorsOfAccumulators(const MeanRounding& rounding) const {
    if (c_ < 2) return 0;
    return phi() * (std::sqrt(n_) * rounding.fixed * (c_ + 1) / 2 +
                    u_ * deviation_ * (rounding.spread * c_ + tail(rounding.spread)));
  }

  // N
  LongReal errorsOfJoins(const MeanRounding& rounding, LongReal accumulated) const {
    const LongReal step = countsAreExact_ ? 4.04L : 6.06L;
    const LongReal spread = rounding.spread > 0 ? joins_ : 0;
    const LongReal sum =
        accumulated + joins_ * std::sqrt(n_) * rounding.fixed + u_ * deviation_ * (spread + step * std::sqrt(joins_));
    return sum / (1 - 6.1L * (joins_ + 1) * u_);
  }

  // H
  LongReal errorsAlong(const MeanRounding& rounding) const {
    if (c_ < 2) return 0;
    const LongReal a = rounding.spread, t = tail(a);
    const LongReal pairs = c_ * (c_ + 1) / 2 - 1;  // of k, over 2 <= k <= c
    const LongReal squares = c_ * (c_ + 1) * (2 * c_ + 1) / 6 - 1;
    const LongReal p = (squares + 3 * pairs + 4 * (c_ - 1) + 4 * harmonic()) / 4;
    const LongReal q = a * a * (pairs + c_ - 1) + 2 * a * t * (c_ - 1) + (a + t) * (a + t) * harmonic();
    return phi() * (rounding.fixed * std::sqrt(n_ * p / c_) + u_ * deviation_ * std::sqrt(q));
  }

  LongReal gamma() const {
    const LongReal products = joins_ == 0 ? 3 : countsAreExact_ ? 6 : 9;
    const LongReal roundings = (c_ - 1 + 2 * joins_ + products) * u_;
    return roundings / (1 - roundings);
  }

  LongReal n_, c_, joins_, deviation_, u_;
  bool countsAreExact_;
};

}  // namespace

WelfordError welfordError(const WelfordSteps& steps, const WelfordTerms& terms, fuser::DataType compute) {
  const Format& numbers = format(compute);
  const LongReal u = std::ldexp(1.0L, -numbers.precision);
  constexpr LongReal kUnbounded = std::numeric_limits<LongReal>::infinity();
  // Then phi is below 1.08, and what the constants above leave out is below one part in fifty.
  if (static_cast<LongReal>(steps.updates + 2 * steps.joins) * u > 0x1p-6L) return {kUnbounded, kUnbounded};
  const Bound bound(steps, terms.deviation, u, steps.count <= int64_t{1} << numbers.precision);
  const LongReal smallest = numbers.smallest;  // quotients and products may underflow
  const WelfordError charged = bound.with({u * terms.mean + smallest, 2.0L / 3});
  int exponent = 0;
  std::frexp(terms.largest, &exponent);
  const WelfordError bounded = bound.with({std::ldexp(u, exponent - 1) + smallest, 0});
  const LongReal underflow = 8 * static_cast<LongReal>(steps.count) * smallest;
  return {1.02L * std::min(charged.mean, bounded.mean), 1.02L * std::min(charged.squares, bounded.squares) + underflow};
}

}  // namespace oracle
