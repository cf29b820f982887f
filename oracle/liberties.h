#pragma once
// The rules of the ops under a profile (oracle/ORACLE.md#10-profiles): the rules of our own language, on sets that are
// widened by what another compiler may do.

#include <span>

#include "fuser/ir/fusion.h"
#include "oracle/interval.h"
#include "oracle/profile.h"

namespace oracle {

// An operand or a result of an op in this compute dtype: with zeros beside denormal numbers, where they may be flushed.
Interval flushed(Interval set, const Profile& profile, fuser::DataType compute);
// The same, where they are flushed.
Interval withFlushed(const Interval& set, fuser::DataType compute);
// A result that is rounded to the compute dtype of `dtype`, as a value of `dtype`.
Interval settled(const Interval& set, const Profile& profile, fuser::DataType dtype);

Value pointwiseUnder(const Profile& profile, const fuser::Expr& expr, std::span<const Value> operands);
Value castUnder(const Profile& profile, const Value& value, fuser::DataType to);

// The same places, any value of the dtype.
Value anyValue(const Value& like, fuser::DataType dtype);

}  // namespace oracle
