// Steps: arrays of sets, with the operators that the formulas use.

#include "oracle/formulas.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "oracle/real_rules.h"
#include "oracle/rounding.h"

namespace oracle {

using fuser::DataType;
using fuser::OpKind;

namespace {

// The sets of one step for every element.
struct Steps {
  std::vector<Interval> sets;
  DataType compute;
  MathLibrary library;
};

template <class Rule>
Steps each(const Steps& a, const Rule& rule) {
  Steps result{std::vector<Interval>(a.sets.size()), a.compute, a.library};
  for (size_t i = 0; i < a.sets.size(); ++i) result.sets[i] = rule(a.sets[i]);
  return result;
}
template <class Rule>
Steps each(const Steps& a, const Steps& b, const Rule& rule) {
  Steps result{std::vector<Interval>(a.sets.size()), a.compute, a.library};
  for (size_t i = 0; i < a.sets.size(); ++i) result.sets[i] = rule(a.sets[i], b.sets[i]);
  return result;
}
// A literal of the formula, in the compute dtype.
Steps constant(double value, const Steps& like) {
  return {std::vector<Interval>(like.sets.size(), Interval::of(roundOnce(value, like.compute))), like.compute,
          like.library};
}

Steps operator-(const Steps& a) {
  return each(a, [](const Interval& x) { return negate(x); });
}
Steps operator+(const Steps& a, const Steps& b) {
  return each(a, b, [&](const Interval& x, const Interval& y) { return add(x, y, a.compute); });
}
Steps operator-(const Steps& a, const Steps& b) { return a + -b; }
Steps operator*(const Steps& a, const Steps& b) {
  return each(a, b, [&](const Interval& x, const Interval& y) { return multiply(x, y, a.compute); });
}
Steps operator/(const Steps& a, const Steps& b) {
  return each(a, b, [&](const Interval& x, const Interval& y) { return divide(x, y, a.compute); });
}
Steps operator+(double a, const Steps& b) { return constant(a, b) + b; }
Steps operator-(double a, const Steps& b) { return constant(a, b) - b; }
Steps operator*(double a, const Steps& b) { return constant(a, b) * b; }
Steps operator/(double a, const Steps& b) { return constant(a, b) / b; }
Steps operator/(const Steps& a, double b) { return a / constant(b, a); }

Steps function(OpKind op, const Steps& a) {
  Steps result{std::vector<Interval>(a.sets.size()), a.compute, a.library};
  functionRule(op, a.sets, result.sets, a.compute, a.library);
  return result;
}
Steps exp(const Steps& a) { return function(OpKind::Exp, a); }
Steps exp2(const Steps& a) { return function(OpKind::Exp2, a); }
Steps expm1(const Steps& a) { return function(OpKind::Expm1, a); }
Steps log(const Steps& a) { return function(OpKind::Log, a); }
Steps log1p(const Steps& a) { return function(OpKind::Log1p, a); }
Steps tanh(const Steps& a) { return function(OpKind::Tanh, a); }
Steps erf(const Steps& a) { return function(OpKind::Erf, a); }
Steps sin(const Steps& a) { return function(OpKind::Sin, a); }
Steps sqrt(const Steps& a) {
  return each(a, [&](const Interval& x) { return squareRoot(x, a.compute); });
}
Steps abs(const Steps& a) {
  return each(a, [](const Interval& x) { return absolute(x); });
}
Steps max(const Steps& a, const Steps& b) {
  return each(a, b, [](const Interval& x, const Interval& y) { return maximum(x, y); });
}
Steps min(const Steps& a, const Steps& b) {
  return each(a, b, [](const Interval& x, const Interval& y) { return minimum(x, y); });
}

// --- choices: what is left of a set on either side of a cut; empty sets give empty results in every step ---

double before(double value, DataType compute) {
  if (compute == DataType::Double) return down(value);
  return static_cast<double>(std::nextafter(static_cast<float>(value), -HUGE_VALF));
}

// [x < cut] or, with `closed`, [x <= cut]; NaN is on neither side.
Interval below(const Interval& x, const Interval& cut, bool closed, DataType compute) {
  if (!cut.hasNumber()) return {};
  const double limit = cut.greatest();
  Interval part;
  if (x.has(kNegInf) && (closed || limit > -kInfinity)) part.flags |= kNegInf;
  if (x.has(kPosInf) && closed && limit == kInfinity) part.flags |= kPosInf;
  const double last = closed || std::isinf(limit) ? limit : before(limit, compute);
  if (!x.hasRange() || x.lo > last) return part;
  part.lo = x.lo;
  part.hi = std::min(x.hi, last);
  if (part.hasZero()) part.flags |= x.flags & kZeros;
  return part;
}
Interval above(const Interval& x, const Interval& cut, bool closed, DataType compute) {
  return negate(below(negate(x), negate(cut), closed, compute));
}
Interval nanOf(const Interval& x) { return {kInfinity, -kInfinity, static_cast<uint8_t>(x.flags & kNan)}; }

Steps either(const Steps& a, const Steps& b) {
  return each(a, b, [](const Interval& x, const Interval& y) { return hull(x, y); });
}
// `result` where the chosen part of x is not empty.
Steps whereChosen(const Steps& part, const Steps& result) {
  return each(part, result, [](const Interval& x, const Interval& r) { return x.empty() ? Interval{} : r; });
}

// x < cut ? ifBelow(x) : otherwise(x), each on the part of x for which it is chosen. NaN is not below.
template <class IfBelow, class Otherwise>
Steps split(const Steps& x, const Steps& cut, bool closed, const IfBelow& ifBelow, const Otherwise& otherwise) {
  const DataType compute = x.compute;
  const Steps lower = each(x, cut, [&](const Interval& s, const Interval& c) { return below(s, c, closed, compute); });
  const Steps upper = each(x, cut, [&](const Interval& s, const Interval& c) {
    const Interval rest = above(s, c, !closed, compute);
    return c.has(kNan) ? s : hull(rest, nanOf(s));
  });
  return either(whereChosen(lower, ifBelow(lower)), whereChosen(upper, otherwise(upper)));
}

// The result, or what a comparison with NaN chooses where the cut may be NaN.
Steps orWhereNan(const Steps& result, const Steps& cut, const Steps& whereNan) {
  Steps chosen = result;
  for (size_t i = 0; i < chosen.sets.size(); ++i) {
    if (!cut.sets[i].hasNumber()) chosen.sets[i] = whereNan.sets[i];
    if (cut.sets[i].has(kNan)) chosen.sets[i] = hull(chosen.sets[i], whereNan.sets[i]);
  }
  return chosen;
}

const auto kSame = [](const Steps& x) { return x; };

// --- the formulas that are no one line ---

Steps geluTanh(const Steps& x) {
  const Steps inner = 0.79788456080286535588 * (x + 0.044715 * (x * x * x));
  return 0.5 * x * (1.0 + tanh(inner));
}

// 1 for zero.
Steps sinc(const Steps& x) {
  const Steps angle = std::numbers::pi * x;
  const Steps ratio = sin(angle) / angle;
  return each(x, ratio, [](const Interval& s, const Interval& r) {
    if (s.lo == 0 && s.hi == 0) {
      return hull(nanOf(s), hull(Interval::of(1), s.has(kInfs) ? Interval::of(NAN) : Interval{}));
    }
    // |sin(t) / t| is at most 1, and a few roundings; near 0 the quotient of the ranges is unbounded.
    if (s.hasZero()) return Interval{-1.0, 1 + 0x1p-20, static_cast<uint8_t>(kZeros | (r.flags & kNan))};
    return r;
  });
}

// Above the cut first: it may be negative.
Steps shrunk(const Steps& x, const Steps& cut) {
  const auto atMost = [&](const Steps& rest) {
    return split(
        rest, -cut, false, [&](const Steps& s) { return s + cut; }, [](const Steps& s) { return 0.0 * s; });
  };
  const Steps result = split(x, cut, true, atMost, [&](const Steps& s) { return s - cut; });
  // a * 0 of what is neither above nor below keeps NaN; the sign of its zero is open. Nothing is beyond a cut of NaN.
  return each(orWhereNan(result, cut, 0.0 * x), [](Interval set) {
    if (set.hasZero()) set.flags |= kZeros;
    return set;
  });
}

Steps hardShrunk(const Steps& x, const Steps& cut) {
  const auto upper = [&](const Steps& rest) {
    return split(
        rest, cut, true, [](const Steps& s) { return constant(0, s); }, kSame);
  };
  return split(x, -cut, false, kSame, upper);
}

Steps infinitiesAlike(const Steps& a, const Steps& b, const Steps& otherwise) {
  Steps result = otherwise;
  for (size_t i = 0; i < result.sets.size(); ++i) {
    const Interval &x = a.sets[i], &y = b.sets[i];
    const uint8_t common = x.flags & y.flags & kInfs;
    // The formula's own NaN comes of infinity - infinity alone when no operand may be NaN.
    if (common && !((x.flags | y.flags) & kNan)) result.sets[i].flags &= ~kNan;
    result.sets[i].flags |= common;
  }
  return result;
}

Steps logAddExp(const Steps& a, const Steps& b) { return infinitiesAlike(a, b, max(a, b) + log1p(exp(-abs(a - b)))); }
Steps logAddExp2(const Steps& a, const Steps& b) {
  const Steps rest = log1p(exp2(-abs(a - b)));
  return infinitiesAlike(a, b, max(a, b) + rest * constant(std::numbers::log2e, rest));
}

// b where it may be NaN; +0 where a is a zero.
Steps xlogy(const Steps& a, const Steps& b) {
  const Steps product = a * log(b);
  Steps result = product;
  for (size_t i = 0; i < result.sets.size(); ++i) {
    const Interval &x = a.sets[i], &y = b.sets[i];
    const bool onlyZero = x.lo == 0 && x.hi == 0 && !x.has(kSpecials);
    if (onlyZero) result.sets[i] = nanOf(y);
    if (x.hasZero() && (y.hasNumber())) result.sets[i] = hull(result.sets[i], Interval::of(0.0));
  }
  return result;
}

Steps lerp(const Steps& a, const Steps& b, const Steps& weight) {
  const Steps distance = b - a;
  const Steps nearA = a + weight * distance;
  const Steps nearB = b - distance * (1.0 - weight);
  Steps result = nearA;
  for (size_t i = 0; i < result.sets.size(); ++i) {
    const Interval size = absolute(weight.sets[i]);
    const bool small = size.hasRange() && size.lo < 0.5;
    const bool large = size.has(kPosInf | kNan) || (size.hasRange() && size.hi >= 0.5);
    if (!small) result.sets[i] = Interval{};
    if (large) result.sets[i] = hull(result.sets[i], nearB.sets[i]);
  }
  return result;
}

Steps evaluate(OpKind op, std::span<const Steps> x) {
  const Steps& a = x[0];
  const auto zero = [&] { return constant(0, a); };
  const auto hardened = [&] { return min(max(a + constant(3, a), zero()), constant(6, a)); };
  if (op == OpKind::Sigmoid) return 1.0 / (1.0 + exp(-a));
  if (op == OpKind::Rsqrt) return 1.0 / sqrt(a);
  if (op == OpKind::Silu) return a / (1.0 + exp(-a));
  if (op == OpKind::Gelu) return a * constant(0.5, a) * (1.0 + erf(a * constant(std::numbers::sqrt2 / 2, a)));
  if (op == OpKind::GeluTanh) return geluTanh(a);
  if (op == OpKind::Mish) return a * tanh(log1p(exp(a)));
  if (op == OpKind::LogSigmoid) return min(zero(), a) - log1p(exp(-abs(a)));
  if (op == OpKind::Softsign) return a / (1.0 + abs(a));
  if (op == OpKind::Tanhshrink) return a - tanh(a);
  if (op == OpKind::Logit) return log(a / (1.0 - a));
  if (op == OpKind::Sinc) return sinc(a);
  if (op == OpKind::Hardswish) return a * hardened() / 6.0;
  if (op == OpKind::Hardsigmoid) return hardened() / 6.0;
  if (op == OpKind::Deg2rad) return a * constant(std::numbers::pi / 180, a);
  if (op == OpKind::Rad2deg) return a * constant(180 / std::numbers::pi, a);
  constexpr double kSelu = 1.0507009873554805;
  const auto scaled = [](const Steps& s) { return s * constant(kSelu, s); };
  const auto seluTail = [](const Steps& s) { return expm1(s) * constant(1.7580993408473766, s); };
  if (op == OpKind::Selu) return split(a, zero(), false, seluTail, scaled);
  if (op == OpKind::Logaddexp) return logAddExp(a, x[1]);
  if (op == OpKind::Logaddexp2) return logAddExp2(a, x[1]);
  if (op == OpKind::Xlogy) return xlogy(a, x[1]);
  if (op == OpKind::Elu)
    return split(
        a, zero(), false, [&](const Steps& s) { return expm1(s) * x[1]; }, kSame);
  const auto celuTail = [&](const Steps& s) { return expm1(s * (1.0 / x[1])) * x[1]; };
  if (op == OpKind::Celu) return split(a, zero(), false, celuTail, kSame);
  if (op == OpKind::LeakyRelu) return -split(-a, zero(), false, kSame, [&](const Steps& s) { return s * x[1]; });
  if (op == OpKind::Hardshrink) return hardShrunk(a, x[1]);
  if (op == OpKind::Softshrink) return shrunk(a, x[1]);
  if (op == OpKind::Threshold)
    return split(
        a, x[1], true, [&](const Steps&) { return x[2]; }, kSame);
  if (op == OpKind::Lerp) return lerp(a, x[1], x[2]);
  if (op == OpKind::Addcmul) return a + x[1] * x[2];
  if (op == OpKind::Addcdiv) return a + x[1] / x[2];
  FUSER_CHECK(op == OpKind::Softplus, "no formula");
  // The product is compared, the operand is kept: both parts see the whole operand.
  const Steps product = a * x[1];
  const auto smooth = [&](const Steps& s) { return log1p(exp(s)) / x[1]; };
  const Steps tail = split(product, x[2], true, smooth,
                           [](const Steps& s) { return each(s, [](const Interval& n) { return nanOf(n); }); });
  Steps result = orWhereNan(tail, x[2], smooth(product));
  for (size_t i = 0; i < result.sets.size(); ++i) {
    const Interval passing = above(product.sets[i], x[2].sets[i], false, a.compute);
    if (!passing.empty()) result.sets[i] = hull(result.sets[i], a.sets[i]);
  }
  return result;
}

}  // namespace

std::vector<Interval> formulaRule(OpKind op, std::span<const std::vector<Interval>> operands, DataType compute,
                                  MathLibrary library) {
  std::vector<Steps> x;
  for (const std::vector<Interval>& operand : operands) x.push_back({operand, compute, library});
  return evaluate(op, x).sets;
}

}  // namespace oracle
