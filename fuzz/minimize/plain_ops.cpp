// where(%c, %x, %y)   becomes   abs(%x);   prod(%x) {dims = [1]}   becomes   abs(%x), or sum(%x) {dims = [1]}
//
// A bug that has nothing to do with the op shows the same smallest case, whatever op it was met in.
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {

bool plainOps(Search& search) {
  bool progress = false;
  for (size_t i = search.best().fusion->exprs().size(); i-- > 0 && !search.isOver();) {
    bool done = false;
    for (Family family : {Family::Unary, Family::Reduction}) {
      for (size_t operand = 0; !done && i < search.best().fusion->exprs().size(); ++operand) {
        const Expr* expr = search.best().fusion->exprs()[i];
        const bool suits = family == Family::Unary || expr->family() == family;
        if (operand >= expr->inputs().size() || !suits || expr->op() == plainOp(family)) break;
        if (expr->isScalarExpr() || expr->outputs().size() > 1 || expr->input(operand)->isScalar()) continue;
        Change change;
        change.ops[expr->id()] = {plainOp(family), operand};
        done = search.attempt(change);
      }
    }
    progress |= done;
  }
  return progress;
}

}  // namespace fuser::fuzz
