#pragma once
// Simplifies min and max in sums, and sums in min and max. The size of a slice is such an expression and mentions the
// operand's size at least twice, so that its text doubles with each further slice; the rules leave one mention.
//
//   i0 - min(i0, 1) - min(1, i0 - min(i0, 1))  ->  max(i0 - 2, 0)

#include "fuser/types/int_expr.h"

namespace fuser {

// Returns an equal expression, for all values of the symbols in their ranges. The arena does not apply these rules:
// expressions built from the result need another call.
IntExpr simplifyExtremes(IntExprArena& ints, IntExpr expr);

}  // namespace fuser
