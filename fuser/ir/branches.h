#pragma once
// Branches: `cond(%a, %b) {condition = %c}` is %a where the bool scalar holds, else %b, and what only the other one
// needs is not computed. An `if` of the text becomes one such op for each result and each update in it. A run's scalars
// say which way it goes; what is compiled for it has that way alone (fuser/evaluate/concretize.h).

#include <functional>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// The operand of a branch that is computed: the first one where the condition holds.
inline Val* takenOperand(const Expr* branch, bool holds) { return branch->input(holds ? 0 : 1); }

bool hasBranches(const Fusion& fusion);

// By expression id: whether its results lead to operands that branches do not take, or to updates of memory that
// nothing else reads later, or that write nothing on the side that is taken; and to nothing else. Dead code leads
// nowhere, and is not skipped. So a fusion with updates and its functional form skip the same. `holds` says it of a
// branch's condition.
std::vector<bool> skippedExprs(const Fusion& fusion, const std::function<bool(const Expr* branch)>& holds);

}  // namespace fuser
