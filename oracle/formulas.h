#pragma once
// Ops without an error bound of their own (rule Formula): judged by evaluating the very steps that are printed, one by
// one, each with its own rule and rounding (oracle/ORACLE.md#4-rules-by-op). Written here by hand, one line an op.

#include <span>
#include <vector>

#include "fuser/ops/op_kind.h"
#include "oracle/interval.h"

namespace oracle {

// The sets of the results, rounded to the compute dtype (f32 or f64), in which the operands are given: one span an
// operand, all of the same length.
std::vector<Interval> formulaRule(fuser::OpKind op, std::span<const std::vector<Interval>> operands,
                                  fuser::DataType compute);

}  // namespace oracle
