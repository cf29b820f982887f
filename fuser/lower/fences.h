#pragma once
// Fences: which products and quotients of a kernel with contraction are rounded before anything reads them. A compiler
// may join a multiply with the add that reads it, and looks for that add through selections and conversions, too; of a
// division by a constant it may make a multiply. The language allows one such join: a `mul` with the `add`, `sub`,
// `sum` or `mean` that it reaches through copies and `neg` (oracle/ORACLE.md#2-rounding).
//
//   %p = mul(%a, %b)  %w = where(%c, %p, 1.0)  %y = add(%w, -1.0)     %p is fenced: where reads it
//   %p = div(%a, 4.0)  %y = add(%p, %b)                               %p is fenced

#include "fuser/ir/expr.h"

namespace fuser {

// Whether the result of the expression, of a part that may contract, is fenced.
bool isFenced(const Expr* expr);

}  // namespace fuser
