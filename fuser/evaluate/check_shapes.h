#pragma once
// Checks the rules about sizes that only run time can check: symbolic extents that meet are assumed equal until then.

#include "fuser/evaluate/expression_evaluator.h"

namespace fuser {

// Checks all expressions, including dead code, because PyTorch would run them. A UserError names the op, the values and
// their sizes when
//   - axes that meet in a pointwise op have different sizes (a broadcast axis that is not expanded meets any size);
//   - expand changes the size of an axis that is not a broadcast axis;
//   - amax or amin reduces an axis of size 0 (PyTorch rejects it even if the result is empty);
//   - pad removes more elements along an axis than it has;
//   - the operands of cat differ in an axis other than the concatenated one;
//   - reshape changes the number of elements, or has a -1 next to a size of 0; repeat has a negative count;
//   - arange's step leads away from its end; a size is negative, or a tensor has more than kMaxElements elements.
void checkShapes(const Fusion& fusion, ExpressionEvaluator& evaluator);

}  // namespace fuser
