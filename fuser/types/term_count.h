#pragma once
// The length of an integer expression's text. Expressions share subexpressions, so a few nodes may have an
// exponentially long text; check the length before any traversal.

#include <cstddef>

#include "fuser/types/int_expr.h"

namespace fuser {

// The limits of a size (fuser/text/grammar.md#limits). A size that exceeds them cannot be printed.
inline constexpr size_t kMaxSizeTerms = 256;             // names, numbers and parentheses
inline constexpr size_t kMaxSizeDepth = 32;              // nested parentheses
inline constexpr double kMaxSizeNumber = 1099511627776.0;  // 2^40, as the range of an extent symbol

// Whether the text has at most `most` names, numbers and parentheses, nested at most `depth` deep. A shared
// subexpression counts once per mention; at most `most` mentions are visited. A product inside a product counts as
// parenthesized.
bool hasAtMostTerms(IntExpr expr, size_t most, size_t depth);

// A bound on every number in the expression, also once its terms are joined; at least 1. Visits a shared part once a
// mention, so hasAtMostTerms() is asked first.
double numberBound(IntExpr expr);

}  // namespace fuser
