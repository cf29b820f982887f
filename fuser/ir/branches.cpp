#include "fuser/ir/branches.h"

#include <algorithm>

namespace fuser {

bool hasBranches(const Fusion& fusion) {
  const std::vector<Expr*>& exprs = fusion.liveExprs();
  return std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) { return expr->family() == Family::Branch; });
}

namespace {

// Whether an update leaves in memory what is there: its source is its target, on the sides that are taken.
bool writesNothing(const Expr* update, const std::function<bool(const Expr* branch)>& holds) {
  const Val* source = update->input(1);
  for (const Expr* maker = source->definition(); maker && maker->family() == Family::Branch;
       maker = source->definition()) {
    source = takenOperand(maker, holds(maker));
  }
  return source == update->input(0);
}

}  // namespace

std::vector<bool> skippedExprs(const Fusion& fusion, const std::function<bool(const Expr* branch)>& holds) {
  std::vector<bool> skipped(fusion.exprIdCount(), false);
  const std::vector<Expr*>& exprs = fusion.exprs();
  const auto reads = [&](const Expr* reader, const Val* val) {
    if (skipped[reader->id()]) return false;
    if (reader->family() != Family::Branch || val->isScalar()) return true;
    return takenOperand(reader, holds(reader)) == val;
  };
  // From readers to what they read.
  for (auto at = exprs.rbegin(); at != exprs.rend(); ++at) {
    const Expr* expr = *at;
    if (expr->isScalarExpr()) continue;  // defined for all operands
    if (expr->family() == Family::Update) {
      skipped[expr->id()] = writesNothing(expr, holds);
      continue;
    }
    bool isUsed = false, isNeeded = false;
    for (const Val* result : expr->outputs()) {
      isUsed |= !result->uses().empty();
      isNeeded |= result->isFusionOutput() || std::any_of(result->uses().begin(), result->uses().end(),
                                                          [&](const Expr* reader) { return reads(reader, result); });
    }
    skipped[expr->id()] = isUsed && !isNeeded;
  }
  return skipped;
}

}  // namespace fuser
