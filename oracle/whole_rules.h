#pragma once
// The rules of integer and bool ops, one element at a time, in integer arithmetic. They are exact for single-valued
// operands. If a range may wrap, or a rule has no tighter bound, the result is the dtype's full range.

#include "fuser/ops/op_kind.h"
#include "oracle/interval.h"
#include "oracle/real_rules.h"

namespace oracle {

// [lo, hi] in the dtype: unchanged if it fits, wrapped if both bounds wrap equally, otherwise the full range.
Whole wrapped(__int128 lo, __int128 hi, fuser::DataType dtype);

Whole unaryWhole(fuser::OpKind op, const Whole& a, fuser::DataType dtype);
Whole binaryWhole(fuser::OpKind op, const Whole& a, const Whole& b, fuser::DataType dtype);
Order compare(const Whole& a, const Whole& b);
Whole truth(const Whole& a);
Whole classified(fuser::OpKind op, const Whole& a);  // IsNan … LogicalNot: see real_rules.h

// Logical ops on truth values.
Whole logicalNot(const Whole& a);
Whole logical(fuser::OpKind op, const Whole& a, const Whole& b);  // LogicalAnd, LogicalOr, LogicalXor
Whole comparison(fuser::OpKind op, const Order& order);           // Eq, Ne, Lt, Le, Gt, Ge

// Conversions as the language defines them (fuser/types/device_types.cuh): float to integer truncates, and gives the
// smallest integer if out of range or NaN; every value except 0 is true.
Whole toWhole(const Interval& a, fuser::DataType to);
Whole toWhole(const Whole& a, fuser::DataType to);
Interval toReal(const Whole& a, fuser::DataType to);
Interval toReal(const Interval& a, fuser::DataType to);

}  // namespace oracle
