#pragma once
// How long the text of an integer expression is. Expressions share their parts, so that a short list of nodes may have
// an endless text; nothing that walks an expression does so before its length is known.

#include <cstddef>

#include "fuser/types/int_expr.h"

namespace fuser {

// Whether the expression mentions at most so many names and numbers, a shared part counted once a mention, and is at
// most so deep. Visits no more than `most` of them.
bool hasAtMostTerms(IntExpr expr, size_t most, size_t depth);

}  // namespace fuser
