#pragma once
// The rules of floating ops (oracle/ORACLE.md#4-rules-by-op), an element at a time. Unless said otherwise a result is
// rounded to the compute dtype (f32 or f64), that of the operands; the caller rounds it again, to the result's dtype.

#include <span>

#include "fuser/ops/op_kind.h"
#include "oracle/interval.h"

namespace oracle {

// Both ends rounded to the dtype; an end that becomes infinite sets that flag. Ends may be infinite before.
Interval roundTo(const Interval& set, fuser::DataType dtype);

// Correctly rounded ops. For f32 the f64 result of f32 operands is rounded again, which gives the f32 result (S. A.
// Figueroa, When is double rounding innocuous?, 1995: 53 >= 2 * 24 + 2); so no error of the reference enters.
Interval negate(const Interval& a);
Interval absolute(const Interval& a);
Interval add(const Interval& a, const Interval& b, fuser::DataType compute);
Interval multiply(const Interval& a, const Interval& b, fuser::DataType compute);
Interval divide(const Interval& a, const Interval& b, fuser::DataType compute);
Interval squareRoot(const Interval& a, fuser::DataType compute);

// a + p with p a product that was not rounded: a fused multiply-add.
Interval addUnrounded(const Interval& a, const Unrounded& product, fuser::DataType compute);
Unrounded unroundedProduct(const Interval& a, const Interval& b);

Interval relu(const Interval& a);
Interval roundToWhole(fuser::OpKind op, const Interval& a);  // Floor, Ceil, Trunc, Round
Interval fraction(const Interval& a, fuser::DataType compute);  // a - trunc(a)
Interval signOf(const Interval& a);
Interval squared(const Interval& a, fuser::DataType compute);
Interval withSign(const Interval& a, const Interval& b);
Interval maximum(const Interval& a, const Interval& b);
Interval minimum(const Interval& a, const Interval& b);
Interval maximumNumber(const Interval& a, const Interval& b);
Interval minimumNumber(const Interval& a, const Interval& b);

// TruncDiv, FloorDiv, Fmod, Remainder: PyTorch's formulas, step by step, in the compute dtype.
Interval divisionRule(fuser::OpKind op, const Interval& a, const Interval& b, fuser::DataType compute);

// Pow, Atan2, Hypot, Nextafter: real_binary.cpp.
Interval binaryFunction(fuser::OpKind op, const Interval& a, const Interval& b, fuser::DataType compute);

// IsNan, IsInf, IsFinite, IsPosInf, IsNegInf, Signbit (of NaN: false), LogicalNot.
Whole classified(fuser::OpKind op, const Interval& a);

// Which comparisons of a value of a with one of b may hold.
struct Order {
  bool less = false;
  bool equal = false;
  bool greater = false;
  bool unordered = false;
};
Order compare(const Interval& a, const Interval& b);
Whole truth(const Interval& a);

// The library functions and what is made of them, over arrays: f64 values from LibTorch at both ends, critical points,
// domain ends, then the row's error column in ulps of the compute dtype.
void functionRule(fuser::OpKind op, std::span<const Interval> in, std::span<Interval> out, fuser::DataType compute);

// Error of LibTorch's and the C library's f64 functions, in ulps of f64; tests/oracle compares with MPFR. Below 1 by
// their own account, but for those of the C library that its manual gives 2 and more.
int referenceError(fuser::OpKind op);

// [lo, hi], f64 values of the reference, widened by its error and by the row's error column. Not yet rounded. ofRange:
// the end belongs to a range of values, whose other members err by ulps of their own.
double lowerEnd(fuser::OpKind op, double value, fuser::DataType compute, bool ofRange = false);
double upperEnd(fuser::OpKind op, double value, fuser::DataType compute, bool ofRange = false);

}  // namespace oracle
