// Faults of updates in place, and of slice_scatter, which they become.

#include <algorithm>

#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz::faults {
namespace {

std::vector<Expr*> scattersOf(const Fusion& fusion) {
  std::vector<Expr*> found;
  for (Expr* expr : fusion.exprs()) {
    if (expr->family() == Family::SliceScatter) found.push_back(expr);
  }
  return found;
}

bool isRead(const Val* val) { return !val->uses().empty() || val->isFusionOutput(); }

// Every slice_scatter with other attributes, where `change` finds some.
template <class Change>
bool changeEach(Fusion& fusion, Change change) {
  bool applied = false;
  for (Expr* scatter : scattersOf(fusion)) {
    Attributes attributes = scatter->attributes();
    if (!change(attributes, scatter)) continue;
    const std::vector<Val*> operands = scatter->inputs(), outputs = scatter->outputs();
    fusion.removeExpr(scatter);
    fusion.newExpr(OpKind::SliceScatter, operands, outputs, std::move(attributes));
    applied = true;
  }
  return applied;
}

}  // namespace

bool loseUpdate(Fusion& fusion) {
  for (Expr* scatter : scattersOf(fusion)) {
    auto* before = scatter->input(0)->as<TensorView>();
    // An input that is returned may be overwritten.
    if (before->isFusionInput() || !isRead(scatter->output())) continue;
    if (!haveSameType(before, scatter->output()->as<TensorView>())) continue;
    fusion.replaceAllUses(scatter->output(), before);
    return true;
  }
  return false;
}

bool viewOldMemory(Fusion& fusion) {
  for (Expr* scatter : scattersOf(fusion)) {
    Val* before = scatter->input(0);
    if (!haveSameType(before->as<TensorView>(), scatter->output()->as<TensorView>())) continue;
    const std::vector<Expr*> readers = scatter->output()->uses();
    for (Expr* reader : readers) {
      const bool isView = familyInfo(reader->family()).coordinates == Coordinates::AxisMap;
      if (!isView || reader->inputs().size() != 1 || !isRead(reader->output())) continue;
      fusion.replaceInput(reader, 0, before);
      return true;
    }
  }
  return false;
}

bool updateEarly(Fusion& fusion) {
  return changeEach(fusion, [&](Attributes& attributes, const Expr* scatter) {
    const auto* whole = scatter->input(0)->as<TensorView>();
    const IntExpr start = attributes.start(), end = attributes.end();
    const IntExpr size = whole->axes()[static_cast<size_t>(attributes.dim())]->size();
    if (!start->isConstant() || !end->isConstant() || !size->isConstant()) return false;
    if (start->value < 1 || end->value <= start->value || end->value > size->value) return false;
    attributes.start(fusion.ints().constant(start->value - 1)).end(fusion.ints().constant(end->value - 1));
    return true;
  });
}

bool scatterLate(Fusion& part) {
  return changeEach(part, [&](Attributes& attributes, const Expr*) {
    const IntExpr start = attributes.start();
    if (!start->isConstant() || start->value < 0) return false;
    attributes.start(part.ints().constant(start->value + 1));
    return true;
  });
}

bool scatterDense(Fusion& part) {
  return changeEach(part, [&](Attributes& attributes, const Expr*) {
    if (attributes.step()->isConstant(1)) return false;
    attributes.step(part.ints().constant(1));
    return true;
  });
}

}  // namespace fuser::fuzz::faults
