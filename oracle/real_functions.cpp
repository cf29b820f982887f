// The library functions: monotone pieces and critical points, LibTorch's f64 values at the ends, the error column.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fuser/ops/op_table.h"
#include "oracle/real_rules.h"
#include "oracle/reference/reference.h"
#include "oracle/rounding.h"

namespace oracle {

using fuser::DataType;
using fuser::OpKind;

namespace {

constexpr double kNoEnd = 0.5;  // stands where an element has no end to evaluate: in every domain

// LibTorch's values at the infinities.
struct Limits {
  Interval atNegInf;
  Interval atPosInf;
};
Limits limitsOf(OpKind op) {
  double ends[] = {-kInfinity, kInfinity};
  reference::evaluateInPlace(op, ends);
  return {Interval::of(ends[0]), Interval::of(ends[1])};
}

// The finite operands that have a finite image, and what the others become.
struct Piece {
  double lo = kNoEnd;
  double hi = kNoEnd;
  bool any = false;
  Interval others;  // images of infinities and of domain ends, NaN
};

// Smallest operand above `bound` that the compute dtype has.
double above(double bound, DataType compute) {
  if (compute == DataType::Double) return up(bound);
  return bound == 0 ? format(compute).smallest : bound + ulp(bound, compute) / 2;
}

// Domain (bound, inf) with the image of the bound itself; below lies NaN.
Piece clip(const Interval& a, double bound, const Interval& image, const Interval& ofInfinity, DataType compute) {
  Piece piece;
  piece.others.flags = a.flags & kNan;
  if (a.has(kNegInf) || (a.hasRange() && a.lo < bound)) piece.others.flags |= kNan;
  if (a.has(kPosInf)) piece.others = hull(piece.others, ofInfinity);
  if (!a.hasRange()) return piece;
  if (a.lo <= bound && a.hi >= bound) piece.others = hull(piece.others, image);
  if (a.hi > bound) {
    piece.any = true;
    piece.hi = a.hi;
    piece.lo = a.lo > bound ? a.lo : above(bound, compute);
  }
  return piece;
}

// Domain all reals, with the images of the infinities.
Piece entire(const Interval& a, const Interval& ofNegInf, const Interval& ofPosInf) {
  Piece piece;
  piece.others.flags = a.flags & kNan;
  if (a.has(kNegInf)) piece.others = hull(piece.others, ofNegInf);
  if (a.has(kPosInf)) piece.others = hull(piece.others, ofPosInf);
  if (a.hasRange()) {
    piece.any = true;
    piece.lo = a.lo;
    piece.hi = a.hi;
  }
  return piece;
}

// A row of rule Monotone needs no line here.
Piece pieceOf(OpKind op, const Interval& a, const Limits& limits, DataType compute) {
  const Interval inf = Interval::of(kInfinity);
  const Interval negInf = Interval::of(-kInfinity);
  const bool monotone = fuser::opInfo(op).rule == fuser::IntervalRule::Monotone;
  if (monotone || op == OpKind::Sin || op == OpKind::Cos) return entire(a, limits.atNegInf, limits.atPosInf);
  if (op == OpKind::Log) return clip(a, 0, negInf, inf, compute);
  if (op == OpKind::Log1p) return clip(a, -1, negInf, inf, compute);
  FUSER_CHECK(op == OpKind::Rsqrt, "no rule for ", fuser::opName(op));
  const Interval ofZero{kInfinity, -kInfinity,
                        static_cast<uint8_t>((a.has(kPosZero) ? kPosInf : 0) | (a.has(kNegZero) ? kNegInf : 0))};
  return clip(a, 0, ofZero, Interval::of(0.0), compute);
}

// Where the C standard (Annex F) and CUDA's manual fix the value: sin(0) = 0, cos(0) = 1, exp(0) = 1, log(1) = 0 …
// Next to it the error column holds again, so this is for points alone.
bool isExact(OpKind op, const Piece& piece, double value) {
  if (piece.hi != piece.lo) return false;
  if (op == OpKind::Log) return piece.lo == 1;
  return piece.lo == 0 && (value == 0 || value == 1);
}

// The correctly rounded value lies within the reference's error of `value`; the engine's within `error` ulps of that
// (both CUDA's tables and glibc's count from the correctly rounded value).
double lowerEnd(double value, double error, DataType compute) {
  if (compute == DataType::Double) {
    const double width = (error + kReferenceError) * ulp(value, compute);
    return value - (value < 0 ? (error + kReferenceError) * ulp(value - width, compute) : width);
  }
  const double nearest = roundOnce(down(value, kReferenceError), compute);
  if (std::isinf(nearest))
    return nearest < 0 ? nearest : roundOnce(value - error * ulp(format(compute).largest, compute), compute);
  const double width = error * ulp(nearest, compute);
  return nearest - (nearest < 0 ? error * ulp(nearest - width, compute) : width);
}
double upperEnd(double value, double error, DataType compute) { return -lowerEnd(-value, error, compute); }

// Does [lo, hi] hold a point first + k * 2 pi? In doubt yes.
bool holdsPeriodic(double lo, double hi, double first) {
  constexpr double kPeriod = 2 * std::numbers::pi;
  const double doubt = 1e-9 + 1e-15 * std::max(std::fabs(lo), std::fabs(hi));
  return std::floor((hi - first) / kPeriod + doubt) >= std::ceil((lo - first) / kPeriod - doubt);
}

// Greatest and least value of sin and cos inside.
void addCriticalPoints(OpKind op, double lo, double hi, Interval& result, DataType compute, double error) {
  if (lo == hi) return;
  const double greatest = op == OpKind::Sin ? std::numbers::pi / 2 : 0;
  if (holdsPeriodic(lo, hi, greatest)) result.hi = upperEnd(1, error, compute);
  if (holdsPeriodic(lo, hi, greatest + std::numbers::pi)) result.lo = lowerEnd(-1, error, compute);
}

Interval imageOf(OpKind op, const Piece& piece, double atLo, double atHi, DataType compute) {
  const double error = fuser::opInfo(op).error;
  if (atLo > atHi) std::swap(atLo, atHi);
  // Overflow of the reference itself is certain beyond this operand of exp and expm1 only.
  if (std::isinf(atLo) && piece.lo < 709.79) atLo = format(DataType::Double).largest;
  if (isExact(op, piece, atLo)) return {atLo, atHi, 0};
  Interval result{lowerEnd(atLo, error, compute), upperEnd(atHi, error, compute), 0};
  if (op == OpKind::Sin || op == OpKind::Cos) addCriticalPoints(op, piece.lo, piece.hi, result, compute, error);
  if (op == OpKind::Exp || op == OpKind::Rsqrt) {
    result.lo = std::max(result.lo, 0.0);
    if (result.lo == 0) result.flags |= kPosZero;
  }
  return result;
}

// 1 / (1 + exp(-x)), the formula that is printed, each step rounded.
void sigmoid(std::span<const Interval> in, std::span<Interval> out, DataType compute) {
  for (size_t i = 0; i < in.size(); ++i) out[i] = negate(in[i]);
  functionRule(OpKind::Exp, out, out, compute);
  const Interval one = Interval::of(1);
  for (Interval& set : out) set = divide(one, add(one, set, compute), compute);
}

}  // namespace

void functionRule(OpKind op, std::span<const Interval> in, std::span<Interval> out, DataType compute) {
  if (op == OpKind::Sigmoid) return sigmoid(in, out, compute);
  const bool infinite = std::any_of(in.begin(), in.end(), [](const Interval& set) { return set.has(kInfs); });
  const Limits limits = infinite ? limitsOf(op) : Limits{};
  std::vector<Piece> pieces;
  std::vector<double> ends;
  pieces.reserve(in.size());
  ends.reserve(2 * in.size());
  for (const Interval& set : in) {
    pieces.push_back(pieceOf(op, set, limits, compute));
    const Piece& piece = pieces.back();
    if (!piece.any) continue;
    ends.push_back(piece.lo);
    if (piece.hi != piece.lo) ends.push_back(piece.hi);
  }
  reference::evaluateInPlace(op, ends);
  size_t next = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    Interval image;
    if (piece.any) {
      const double atLo = ends[next++];
      const double atHi = piece.hi == piece.lo ? atLo : ends[next++];
      image = imageOf(op, piece, atLo, atHi, compute);
      // The odd functions keep the sign of a zero operand.
      if (in[i].hasZero() && image.hasZero()) image.flags |= in[i].flags & kZeros;
      if (op == OpKind::Log && piece.lo == 1 && piece.hi == 1) image.flags |= kPosZero;
    }
    out[i] = hull(roundTo(image, compute), piece.others);
  }
}

}  // namespace oracle
