#include "fuzz/judge/lowered_fusion.h"

#include "fuser/ir/clone.h"
#include "fuser/ir/equality.h"
#include "fuser/ir/replace_value.h"

namespace fuser::fuzz {
namespace {

// What the expression rounds, through a segment_set; null where it is no such cast back.
Val* roundedBy(const Expr* expr) {
  const auto definitionOf = [](const Expr* reader, OpKind op) {
    const Expr* maker = reader ? reader->input(0)->definition() : nullptr;
    return maker && maker->op() == op ? maker : nullptr;
  };
  if (expr->op() != OpKind::Cast || expr->output()->dtype() != DataType::Float) return nullptr;
  const Expr* cast = definitionOf(definitionOf(expr, OpKind::SegmentSet), OpKind::Cast);
  if (!cast || !isFloating(cast->output()->dtype()) || dtypeSize(cast->output()->dtype()) != 2) return nullptr;
  return cast->input(0)->dtype() == DataType::Float ? cast->input(0) : nullptr;
}

}  // namespace

std::string whyNotLowered(const Fusion& original, const Fusion& lowered) {
  const std::unique_ptr<Fusion> plain = cloneFusion(lowered).fusion;
  const size_t before = original.allVals().size();
  for (Expr* expr : plain->exprs()) {
    Val* value = expr->output()->id() < before || expr->isScalarExpr() ? nullptr : roundedBy(expr);
    if (!value) continue;
    if (!value->definition() || value->isFusionOutput()) return concat("%", value->name(), " is an input or output");
    for (Expr* reader : std::vector<Expr*>(expr->output()->uses())) {
      for (size_t i = 0; i < reader->inputs().size(); ++i) {
        if (reader->input(i) == expr->output()) plain->replaceInput(reader, i, value);
      }
    }
    removeUnused(plain.get(), expr->output());
  }
  return firstDifference(original, *plain);
}

}  // namespace fuser::fuzz
