// Faults in argmax and argmin: which of equal elements counts, what a NaN is, and which index goes with an element.

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

bool isOfExtreme(const Compute& compute) { return compute.source && compute.source->family() == Family::ExtremeIndex; }

}  // namespace

bool argminForArgmax(Fusion& part) {
  bool applied = false;
  const std::vector<Expr*> exprs = part.exprs();
  for (Expr* expr : exprs) {
    if (expr->family() != Family::ExtremeIndex) continue;
    const OpKind other = expr->op() == OpKind::Argmax ? OpKind::Argmin : OpKind::Argmax;
    const std::vector<Val*> inputs = expr->inputs(), outputs = expr->outputs();
    Attributes attributes = expr->attributes();
    part.removeExpr(expr);
    part.newExpr(other, inputs, outputs, std::move(attributes));
    applied = true;
  }
  return applied;
}

bool lastOfEqualWins(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    if (!isOfExtreme(compute) || compute.op != OpKind::Lt) return false;
    compute.op = OpKind::Gt;
    return true;
  });
}

// A number takes the place of a NaN.
bool forgetNan(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    if (!isOfExtreme(compute) || compute.op != OpKind::Eq || !isFloating(compute.computeDtype)) return false;
    alwaysTrue(compute);
    return true;
  });
}

bool countIndicesFromOne(Kernel& kernel) {
  return editComputes(kernel, [&](Compute& compute) {
    const bool isPlace = isOfExtreme(compute) && compute.op == OpKind::Set && compute.operands.size() == 1 &&
                         compute.operands[0].kind == Operand::Kind::Int;
    if (isPlace) {
      IntExpr& place = compute.operands[0].integer;
      place = kernel.ints->add(place, kernel.ints->constant(1));
    }
    return isPlace;
  });
}

// The index of what came before stays beside the element that took its place.
bool keepOldIndex(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    const bool isIndex = isOfExtreme(compute) && compute.op == OpKind::Where &&
                         compute.computeDtype == DataType::Int64 && isFloating(compute.source->input(0)->dtype());
    if (!isIndex) return false;
    const Operand other = compute.operands[1], own = compute.operands[2];
    // Where there is none yet, the new one.
    compute.op = OpKind::Minimum;
    compute.operands = {other, own};
    return true;
  });
}

}  // namespace fuser::fuzz::faults
