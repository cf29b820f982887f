#pragma once
// Rules about min and max in sums, and about sums in min and max. What a slice leaves of an axis is such an expression
// over the size that it found, which it mentions twice or more, so that slices in a row double it each time; the rules
// leave one mention.
//
//   i0 - min(i0, 1) - min(1, i0 - min(i0, 1))  ->  max(i0 - 2, 0)

#include "fuser/types/int_expr.h"

namespace fuser {

// An expression with the same value wherever the symbols have values in their ranges. Not the arena's own form: what is
// built of the result is not simplified by these rules until somebody asks again.
IntExpr simplifyExtremes(IntExprArena& ints, IntExpr expr);

}  // namespace fuser
