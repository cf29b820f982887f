#pragma once
// Exact mode: which runs have only values that every compiler must give to the bit.
//
// Each value of the fusion is known from the reference. A row of exact_mode.def says when an op's result is exactly
// representable, whatever the order of its additions and the precision of what lies between: then neither contraction
// nor excess precision nor another order changes a bit, and any difference is a bug. Zeros of both signs are equal.

#include <set>
#include <span>
#include <string>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/ops/op_kind.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {

// The ops that have a row.
std::set<OpKind> exactOps();

// Why the values, reference::evaluate's of the fusion, are not all exact: "mul %t4: the product may need more than 11
// bits". "" if they are.
std::string whyNotExact(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& values);

}  // namespace fuser::fuzz
