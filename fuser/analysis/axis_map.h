#pragma once
// The map of one op between the axes of its result and those of an operand: the only place that knows what an op does
// with coordinates.

#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// For each logical axis of the result (reductions included): the position in the operand's axes() that has the same
// coordinate, or -1 where the operand has none. Empty when the operand is a scalar.
std::vector<int> producerAxes(const Expr* expr, const TensorView* producer);

}  // namespace fuser
