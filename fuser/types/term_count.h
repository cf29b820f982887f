#pragma once
// How long the text of an integer expression is. Expressions share their parts, so that a short list of nodes may have
// an endless text; nothing that walks an expression does so before its length is known.

#include <cstddef>

#include "fuser/types/int_expr.h"

namespace fuser {

// The limits of a size (fuser/text/grammar.md#limits). Whoever makes a size keeps to them: past them it has no text.
inline constexpr size_t kMaxSizeTerms = 256;             // names, numbers and parentheses
inline constexpr size_t kMaxSizeDepth = 32;              // parentheses in each other
inline constexpr double kMaxSizeNumber = 1099511627776.0;  // 2^40, as the range of an extent symbol

// Whether the text of the expression has at most so many names, numbers and parentheses, and parentheses at most so
// deep in each other. A shared part counts once a mention; of `most` mentions no more are visited. A product among
// others counts as one in parentheses, which it need not have.
bool hasAtMostTerms(IntExpr expr, size_t most, size_t depth);

}  // namespace fuser
