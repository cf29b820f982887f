#pragma once
// The rule Formula, for ops without an error bound of their own: evaluates the steps of the printed expression one by
// one, each with its own rule and rounding (oracle/ORACLE.md#4-rules-by-op). Written by hand, one line per op.

#include <span>
#include <vector>

#include "fuser/ops/op_kind.h"
#include "oracle/interval.h"

namespace oracle {

// Returns the accepted sets of the results, rounded to the compute dtype (f32 or f64), which the operands have, too.
// `operands` has one vector per operand, all of the same length.
std::vector<Interval> formulaRule(fuser::OpKind op, std::span<const std::vector<Interval>> operands,
                                  fuser::DataType compute, MathLibrary library = MathLibrary::Any);

}  // namespace oracle
