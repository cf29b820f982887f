#pragma once
// The rules of integer and bool ops, element by element, in integers: exact while operands are single; where a range
// may wrap, or a rule has no better, the dtype's full range.

#include "fuser/ops/op_kind.h"
#include "oracle/interval.h"
#include "oracle/real_rules.h"

namespace oracle {

// [lo, hi] in the dtype: as it is, wrapped when single (or wrapped alike at both ends), else the full range.
Whole wrapped(__int128 lo, __int128 hi, fuser::DataType dtype);

Whole unaryWhole(fuser::OpKind op, const Whole& a, fuser::DataType dtype);
Whole binaryWhole(fuser::OpKind op, const Whole& a, const Whole& b, fuser::DataType dtype);
Order compare(const Whole& a, const Whole& b);
Whole truth(const Whole& a);
Whole classified(fuser::OpKind op, const Whole& a);  // IsNan … LogicalNot: see real_rules.h

// Of two or one truth values.
Whole logicalNot(const Whole& a);
Whole logical(fuser::OpKind op, const Whole& a, const Whole& b);  // LogicalAnd, LogicalOr, LogicalXor
Whole comparison(fuser::OpKind op, const Order& order);           // Eq, Ne, Lt, Le, Gt, Ge

// Conversions as the language defines them (fuser/types/device_types.cuh): float to integer truncates, and gives the
// smallest integer out of range and for NaN; anything but 0 is true.
Whole toWhole(const Interval& a, fuser::DataType to);
Whole toWhole(const Whole& a, fuser::DataType to);
Interval toReal(const Whole& a, fuser::DataType to);
Interval toReal(const Interval& a, fuser::DataType to);

}  // namespace oracle
