// Library functions of one operand: splits ranges at critical points into monotone pieces and evaluates their ends.

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
Limits limitsOf(OpKind op, DataType compute, MathLibrary library) {
  double ends[] = {-kInfinity, kInfinity};
  reference::evaluateInPlace(op, ends);
  // Whole numbers (0, 1, 2, -1) are reached; pi / 2 is approached with the function's error.
  const auto limit = [&](double value) {
    if (!std::isfinite(value) || value == std::trunc(value)) return Interval::of(value);
    return roundTo({lowerEnd(op, value, compute, library), upperEnd(op, value, compute, library), 0}, compute);
  };
  return {limit(ends[0]), limit(ends[1])};
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

// Domain [-1, 1]; open: its ends have infinite images (atanh).
Piece clipToUnit(const Interval& a, bool open, DataType compute) {
  Piece piece;
  piece.others.flags = a.flags & kNan;
  if (a.has(kInfs) || (a.hasRange() && (a.lo < -1 || a.hi > 1))) piece.others.flags |= kNan;
  if (!a.hasRange() || a.lo > 1 || a.hi < -1) return piece;
  if (open && a.lo <= -1) piece.others.flags |= kNegInf;
  if (open && a.hi >= 1) piece.others.flags |= kPosInf;
  const double last = !open ? 1 : compute == DataType::Double ? down(1) : 1 - 0x1p-24;
  piece.lo = std::max(a.lo, -last);
  piece.hi = std::min(a.hi, last);
  piece.any = piece.lo <= piece.hi;
  return piece;
}

// lgamma falls from a pole at `pole` to its least value at `turn`, and rises from there on.
struct LgammaBranch {
  double pole;
  double turn;
  double least;
};
constexpr LgammaBranch kLgammaBranches[] = {{0, 1.4616321449683623, -0.12148629053584961},
                                            {-1, -0.504083008264455, 1.2654376221108652},
                                            {-2, -1.5734984731623904, 0.8339552096562814}};
// CUDA's tables give a bound from here up. Below there are zeros, beside which an error in ulps means nothing.
constexpr double kLgammaBoundFrom = -2.2637;

// Of a range without a pole: its branch, if it turns inside.
const LgammaBranch* turnInside(double lo, double hi) {
  for (const LgammaBranch& branch : kLgammaBranches) {
    if (lo < branch.turn && branch.turn < hi) return &branch;
  }
  return nullptr;
}

// At a pole: +inf. A range with a pole reaches from its least value to +inf; below the bound everything may be.
Piece lgammaPiece(const Interval& a, DataType compute) {
  Piece piece;
  piece.others.flags = a.flags & kNan;
  if (a.has(kInfs)) piece.others.flags |= kPosInf;
  if (!a.hasRange()) return piece;
  const double pole = std::min(std::floor(a.hi), 0.0);  // the last one that is not above the range
  const bool hasPole = pole >= a.lo;
  if (hasPole || a.lo < kLgammaBoundFrom) {
    if (hasPole) piece.others.flags |= kPosInf;
    if (a.lo == a.hi && hasPole) return piece;
    const double largest = format(compute).largest;
    const double least = lowerEnd(OpKind::Lgamma, kLgammaBranches[0].least, compute, MathLibrary::Any);
    piece.others = hull(piece.others, {a.lo < kLgammaBoundFrom ? -largest : least, largest, kZeros | kPosInf});
    return piece;
  }
  piece.any = true;
  piece.lo = a.lo;
  piece.hi = a.hi;
  return piece;
}

// A row of rule Monotone needs no line here.
Piece pieceOf(OpKind op, const Interval& a, const Limits& limits, DataType compute) {
  const Interval inf = Interval::of(kInfinity);
  const Interval negInf = Interval::of(-kInfinity);
  const bool monotone = fuser::opInfo(op).rule == fuser::IntervalRule::Monotone;
  if (monotone || op == OpKind::Sin || op == OpKind::Cos) return entire(a, limits.atNegInf, limits.atPosInf);
  if (op == OpKind::Log || op == OpKind::Log2 || op == OpKind::Log10) return clip(a, 0, negInf, inf, compute);
  if (op == OpKind::Tan) return entire(a, limits.atNegInf, limits.atPosInf);
  if (op == OpKind::Cosh) return entire(absolute(a), limits.atNegInf, limits.atPosInf);
  if (op == OpKind::Asin || op == OpKind::Acos) return clipToUnit(a, false, compute);
  if (op == OpKind::Atanh) return clipToUnit(a, true, compute);
  if (op == OpKind::Acosh) return clip(a, 1, Interval::of(0.0), inf, compute);
  if (op == OpKind::Lgamma) return lgammaPiece(a, compute);
  FUSER_CHECK(op == OpKind::Log1p, "no rule for ", fuser::opName(op));
  return clip(a, -1, negInf, inf, compute);
}

// Where the C standard (Annex F) and CUDA's manual fix the value: sin(0) = 0, cos(0) = 1, exp(0) = 1, log(1) = 0 …
// Next to it the error column holds again, so this is for points alone.
bool isExact(OpKind op, const Piece& piece, double value, MathLibrary library) {
  if (piece.hi != piece.lo) return false;
  if (op == OpKind::Log || op == OpKind::Log2 || op == OpKind::Log10) return piece.lo == 1;
  if (op == OpKind::Lgamma) return piece.lo == 1 || piece.lo == 2;
  if (op == OpKind::Acos) return piece.lo == 1;
  if (op == OpKind::Erfc) return false;  // neither fixes erfc(0) = 1
  // It is made of approximations that PTX's manual alone does not make exact.
  if (op == OpKind::Cosh && library == MathLibrary::WorstByManual) return false;
  return piece.lo == 0 && (value == 0 || value == 1);
}

// The reference overflows for certain beyond this magnitude of the operand alone.
double overflowsBeyond(OpKind op) {
  if (op == OpKind::Exp || op == OpKind::Expm1) return 709.79;
  if (op == OpKind::Exp2) return 1024.01;
  if (op == OpKind::Sinh || op == OpKind::Cosh) return 710.48;
  return op == OpKind::Lgamma ? 2.6e305 : kInfinity;
}

// The reference's values at the operands. The vector library under LibTorch (SLEEF) promises sinh and cosh for operands
// up to 709 and may give infinity from there on, where they are 4.1e307: there the C library's count, whose manual says
// 2 ulps.
void evaluateReference(OpKind op, std::span<double> values) {
  const bool endsEarly = op == OpKind::Sinh || op == OpKind::Cosh;
  const std::vector<double> operands(values.begin(), endsEarly ? values.end() : values.begin());
  reference::evaluateInPlace(op, values);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (std::fabs(operands[i]) <= 709) continue;
    values[i] = op == OpKind::Sinh ? std::sinh(operands[i]) : std::cosh(operands[i]);
  }
}

}  // namespace

int referenceError(OpKind op) {
  const bool ofTheCLibrary = op == OpKind::Asinh || op == OpKind::Acosh || op == OpKind::Atanh || op == OpKind::Lgamma;
  return ofTheCLibrary ? 4 : 2;
}

double errorOf(OpKind op, DataType compute, MathLibrary library) {
  if (library == MathLibrary::WorstByManual && compute == DataType::Float) {
#define WORST(row, ulps) \
  if (op == OpKind::row) return ulps;
#include "oracle/worst_by_manual.def"
#undef WORST
  }
  return fuser::opInfo(op).error;
}

// The correctly rounded value lies within the reference's error of `value`; the engine's within `error` ulps of that
// (both CUDA's tables and glibc's count from the correctly rounded value).
double lowerEnd(OpKind op, double value, DataType compute, MathLibrary library, bool ofRange) {
  const double error = errorOf(op, compute, library);
  const int ownError = referenceError(op);
  if (compute == DataType::Double) {
    const double width = (error + ownError) * ulp(value, compute);
    if (value < 0) return value - (error + ownError) * ulp(value - width, compute);
    return value - (ofRange ? (error + ownError) * ulp(value + width, compute) : width);
  }
  const double nearest = roundOnce(down(value, ownError), compute);
  if (std::isinf(nearest))
    return nearest < 0 ? nearest : roundOnce(value - error * ulp(format(compute).largest, compute), compute);
  const double width = error * ulp(nearest, compute);
  if (nearest < 0) return nearest - error * ulp(nearest - width, compute);
  // A larger number of the range may have larger ulps, and err further down than its smallest one does.
  return nearest - (ofRange ? error * ulp(nearest + width, compute) : width);
}
double upperEnd(OpKind op, double value, DataType compute, MathLibrary library, bool ofRange) {
  return -lowerEnd(op, -value, compute, library, ofRange);
}

namespace {

// Does [lo, hi] hold a point first + k * period? In doubt yes.
bool holdsPeriodic(double lo, double hi, double first, double kPeriod = 2 * std::numbers::pi) {
  const double doubt = 1e-9 + 1e-15 * std::max(std::fabs(lo), std::fabs(hi));
  return std::floor((hi - first) / kPeriod + doubt) >= std::ceil((lo - first) / kPeriod - doubt);
}

// Greatest and least value of sin and cos inside.
void addCriticalPoints(OpKind op, double lo, double hi, Interval& result, DataType compute, MathLibrary library) {
  if (lo == hi) return;
  const double greatest = op == OpKind::Sin ? std::numbers::pi / 2 : 0;
  if (holdsPeriodic(lo, hi, greatest)) result.hi = upperEnd(op, 1, compute, library);
  if (holdsPeriodic(lo, hi, greatest + std::numbers::pi)) result.lo = lowerEnd(op, -1, compute, library);
}

Interval imageOf(OpKind op, const Piece& piece, double atLo, double atHi, DataType compute, MathLibrary library) {
  const double largest = format(DataType::Double).largest;
  if (op == OpKind::Tan && piece.lo != piece.hi &&
      holdsPeriodic(piece.lo, piece.hi, std::numbers::pi / 2, std::numbers::pi)) {
    return {-largest, largest, kZeros};
  }
  if (atLo > atHi) std::swap(atLo, atHi);
  if (const LgammaBranch* branch = op == OpKind::Lgamma ? turnInside(piece.lo, piece.hi) : nullptr)
    atLo = branch->least;
  const double beyond = overflowsBeyond(op);
  if (atLo == kInfinity && std::min(std::fabs(piece.lo), std::fabs(piece.hi)) < beyond) atLo = largest;
  if (atHi == -kInfinity && std::min(std::fabs(piece.lo), std::fabs(piece.hi)) < beyond) atHi = -largest;
  if (isExact(op, piece, atLo, library)) return {atLo, atHi, 0};
  const bool ofRange = piece.lo != piece.hi;
  Interval result{lowerEnd(op, atLo, compute, library, ofRange), upperEnd(op, atHi, compute, library, ofRange), 0};
  if (op == OpKind::Sin || op == OpKind::Cos) addCriticalPoints(op, piece.lo, piece.hi, result, compute, library);
  if (op == OpKind::Exp || op == OpKind::Exp2 || op == OpKind::Erfc || op == OpKind::Acos) {
    result.lo = std::max(result.lo, 0.0);
    if (result.lo == 0) result.flags |= kPosZero;
  }
  if (keepsToUnit(op, compute, library)) {
    result.lo = std::clamp(result.lo, -1.0, 1.0);
    result.hi = std::clamp(result.hi, -1.0, 1.0);
  }
  return result;
}

}  // namespace

bool keepsToUnit(OpKind op, DataType compute, MathLibrary library) {
  if (library != MathLibrary::Glibc) return false;
  if (op == OpKind::Sin || op == OpKind::Cos || op == OpKind::Erf) return true;
  return op == OpKind::Tanh && compute == DataType::Float;
}

void functionRule(OpKind op, std::span<const Interval> in, std::span<Interval> out, DataType compute,
                  MathLibrary library) {
  const bool infinite = std::any_of(in.begin(), in.end(), [](const Interval& set) { return set.has(kInfs); });
  const Limits limits = infinite ? limitsOf(op, compute, library) : Limits{};
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
  evaluateReference(op, ends);
  size_t next = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    Interval image;
    if (piece.any) {
      const double atLo = ends[next++];
      const double atHi = piece.hi == piece.lo ? atLo : ends[next++];
      image = imageOf(op, piece, atLo, atHi, compute, library);
      // The odd functions keep the sign of a zero operand.
      if (in[i].hasZero() && image.hasZero()) image.flags |= in[i].flags & kZeros;
      // f(1) = +0, and lgamma(2).
      if (image.lo == 0 && image.hi == 0 && !in[i].hasZero()) image.flags |= kPosZero;
    }
    out[i] = hull(roundTo(image, compute), piece.others);
  }
}

}  // namespace oracle
