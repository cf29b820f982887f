#pragma once
// Sums as lists of terms, for the simplification rules of IntExpr. Private to this folder.

#include <vector>

#include "fuser/types/int_expr.h"

namespace fuser {

// coefficient * rest, with rest null for a constant.
struct Term {
  int64_t coefficient;
  IntExpr rest;
};

// Appends the terms of a sum; any other node is a single term.
void collectTerms(IntExpr expr, std::vector<IntExpr>& terms);
Term splitTerm(IntExpr term);
// The greatest number that divides all terms of a sum; 1 of any other node.
int64_t commonCoefficient(IntExpr expr);

}  // namespace fuser
