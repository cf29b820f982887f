#pragma once
// Sums as lists of terms: how the rules that simplify an IntExpr see one. For the files of this folder.

#include <vector>

#include "fuser/types/int_expr.h"

namespace fuser {

// coefficient * rest, with rest null for a constant.
struct Term {
  int64_t coefficient;
  IntExpr rest;
};

// A sum's terms; a node that is no sum is its own only term.
void collectTerms(IntExpr expr, std::vector<IntExpr>& terms);
Term splitTerm(IntExpr term);

}  // namespace fuser
