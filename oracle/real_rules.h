#pragma once
// The rules of floating ops (oracle/ORACLE.md#4-rules-by-op), one element at a time. Unless noted, a result is rounded
// to the compute dtype (f32 or f64), which the operands have; the caller rounds it again to the result's dtype.

#include <span>

#include "fuser/ops/op_kind.h"
#include "oracle/interval.h"

namespace oracle {

// Rounds both bounds to the dtype; a bound that overflows sets the infinity flag. Bounds may be infinite before.
Interval roundTo(const Interval& set, fuser::DataType dtype);

// Correctly rounded ops. For f32 the f64 result of f32 operands is rounded again, which equals the f32 result (S. A.
// Figueroa, "When is double rounding innocuous?", 1995: 53 >= 2 * 24 + 2), so the reference adds no error.
Interval negate(const Interval& a);
Interval absolute(const Interval& a);
Interval add(const Interval& a, const Interval& b, fuser::DataType compute);
Interval multiply(const Interval& a, const Interval& b, fuser::DataType compute);
Interval divide(const Interval& a, const Interval& b, fuser::DataType compute);
Interval squareRoot(const Interval& a, fuser::DataType compute);

// a + p for an unrounded product p: a fused multiply-add.
Interval addUnrounded(const Interval& a, const Unrounded& product, fuser::DataType compute);
// The same where factors may be infinite or NaN, as `rounded` says, the product after its rounding.
Interval addProduct(const Interval& a, const Interval& rounded, const Unrounded& product, fuser::DataType compute);
Unrounded unroundedProduct(const Interval& a, const Interval& b);
// a * b + c, rounded once.
Interval multiplyAdd(const Interval& a, const Interval& b, const Interval& c, fuser::DataType compute);

Interval relu(const Interval& a);
Interval roundToWhole(fuser::OpKind op, const Interval& a);     // Floor, Ceil, Trunc, Round
Interval fraction(const Interval& a, fuser::DataType compute);  // a - trunc(a)
Interval signOf(const Interval& a);
Interval squared(const Interval& a, fuser::DataType compute);
Interval withSign(const Interval& a, const Interval& b);
Interval maximum(const Interval& a, const Interval& b);
Interval minimum(const Interval& a, const Interval& b);
Interval maximumNumber(const Interval& a, const Interval& b);
Interval minimumNumber(const Interval& a, const Interval& b);

// TruncDiv, FloorDiv, Fmod, Remainder: PyTorch's formulas step by step in the compute dtype.
Interval divisionRule(fuser::OpKind op, const Interval& a, const Interval& b, fuser::DataType compute);

// Pow, Atan2, Hypot, Nextafter: real_binary.cpp.
Interval binaryFunction(fuser::OpKind op, const Interval& a, const Interval& b, fuser::DataType compute);

// IsNan, IsInf, IsFinite, IsPosInf, IsNegInf, Signbit (of NaN: false), LogicalNot.
Whole classified(fuser::OpKind op, const Interval& a);

// The hull of value(x, y) over the values of two operands that are one number each (isOneNumber()): x and y take both
// signs of a zero whose sign is open.
template <class Value>
Interval hullOverSigns(const Interval& a, const Interval& b, Value value) {
  Interval result;
  for (uint8_t signA : {kPosZero, kNegZero}) {
    for (uint8_t signB : {kPosZero, kNegZero}) {
      if ((a.hasZero() && !a.has(signA)) || (b.hasZero() && !b.has(signB))) continue;
      const double x = a.hasZero() ? Interval{0, 0, signA}.single() : a.single();
      const double y = b.hasZero() ? Interval{0, 0, signB}.single() : b.single();
      result = hull(result, value(x, y));
    }
  }
  return result;
}

// Which relations between a value of a and a value of b are possible.
struct Order {
  bool less = false;
  bool equal = false;
  bool greater = false;
  bool unordered = false;
};
Order compare(const Interval& a, const Interval& b);
Whole truth(const Interval& a);

// The rule on the finite numbers and the infinities of both operands, each apart; NaN is the caller's.
template <class Rule>
Interval overParts(const Interval& a, const Interval& b, const Rule& rule) {
  const auto forEachPart = [](const Interval& set, const auto& visit) {
    if (set.hasRange()) visit(Interval{set.lo, set.hi, static_cast<uint8_t>(set.flags & kZeros)});
    if (set.has(kPosInf)) visit(Interval::of(kInfinity));
    if (set.has(kNegInf)) visit(Interval::of(-kInfinity));
  };
  Interval result;
  forEachPart(
      a, [&](const Interval& x) { forEachPart(b, [&](const Interval& y) { result = hull(result, rule(x, y)); }); });
  return result;
}

// Library functions and ops derived from them, over arrays: f64 values from LibTorch at both bounds, at critical points
// and at the ends of the domain, widened by the row's error column in ulps of the compute dtype.
void functionRule(fuser::OpKind op, std::span<const Interval> in, std::span<Interval> out, fuser::DataType compute,
                  MathLibrary library = MathLibrary::Any);

// Whether no result of the library's function, of whatever operand, is outside of [-1, 1]
// (oracle/ORACLE.md#4-rules-by-op).
bool keepsToUnit(fuser::OpKind op, fuser::DataType compute, MathLibrary library);

// A bound on the error of the f64 functions of LibTorch and the C library, in ulps of f64: 4 for asinh, acosh, atanh
// and lgamma, whose error in the C library's manual is 2 or more, otherwise 2. tests/oracle compares them with MPFR.
int referenceError(fuser::OpKind op);

// The row's error column, or what stands in its place with this library.
double errorOf(fuser::OpKind op, fuser::DataType compute, MathLibrary library);

// A bound from an f64 value of the reference, widened by the reference's error and errorOf(); not rounded
// yet. ofRange: the bound is that of a range, whose other values may have larger ulps.
double lowerEnd(fuser::OpKind op, double value, fuser::DataType compute, MathLibrary library, bool ofRange = false);
double upperEnd(fuser::OpKind op, double value, fuser::DataType compute, MathLibrary library, bool ofRange = false);

}  // namespace oracle
