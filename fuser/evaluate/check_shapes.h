#pragma once
// The rules about sizes that only run time can check.

#include "fuser/evaluate/expression_evaluator.h"

namespace fuser {

// Walks all expressions, dead code included, as PyTorch would run them. A UserError names the op, the values and their
// sizes when
//   - axes that meet in a pointwise op have different sizes (a broadcast axis that is not expanded meets any size);
//   - expand asks an axis that it does not expand for another size than it has;
//   - amax or amin reduces an axis of size 0 (PyTorch rejects it even where the result is empty);
//   - pad removes more elements along an axis than it has;
//   - the operands of cat differ in another axis than the one that it joins;
//   - reshape asks for another number of elements, or for a -1 beside a size of 0; repeat asks for a negative number;
//   - a size is negative, or a tensor has more than kMaxElements elements.
void checkShapes(const Fusion& fusion, ExpressionEvaluator& evaluator);

}  // namespace fuser
