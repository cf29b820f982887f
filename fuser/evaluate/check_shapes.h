#pragma once
// Checks the rules about sizes that only run time can check, and says what a run decides.

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/evaluate/run_decisions.h"

namespace fuser {

// Checks all expressions that the run computes, including dead code, because PyTorch would run them. A UserError names
// the op, the values and their sizes when
//   - an axis that meets others in a pointwise op has neither the result's size nor size 1;
//   - expand changes the size of an axis, and it is not 1; squeeze removes an axis of another size than 1;
//   - amax or amin reduces an axis of size 0 (PyTorch rejects it even if the result is empty);
//   - pad removes more elements along an axis than it has;
//   - the operands of cat differ in an axis other than the concatenated one;
//   - reshape changes the number of elements, or has a -1 next to a size of 0; repeat has a negative count;
//   - the step of a slice is below 1, arange's step leads away from its end; a size is negative, or a tensor has more
//   than kMaxElements elements.
// Returns what concretize() makes a fusion of. Almost always there is no decision.
RunDecisions checkShapes(const Fusion& fusion, ExpressionEvaluator& evaluator);

}  // namespace fuser
