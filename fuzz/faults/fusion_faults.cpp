// Faults in the fusion, as a wrong pass would leave it: well formed, and another program. Origins stay as they are.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz::faults {
namespace {

std::vector<Expr*> exprsOf(const Fusion& fusion, OpKind op) {
  std::vector<Expr*> found;
  for (Expr* expr : fusion.exprs()) {
    if (expr->op() == op) found.push_back(expr);
  }
  return found;
}

bool isTensorCast(const Expr* expr) { return expr && expr->op() == OpKind::Cast && expr->output()->isTensor(); }

}  // namespace

bool elideRoundingCasts(Fusion& fusion) {
  bool applied = false;
  for (Expr* outer : exprsOf(fusion, OpKind::Cast)) {
    const Expr* inner = outer->input(0)->definition();
    if (!isTensorCast(outer) || !isTensorCast(inner)) continue;
    Val* source = inner->input(0);
    const DataType middle = inner->output()->dtype(), result = outer->output()->dtype();
    if (source->dtype() != result || !isFloating(result) || !isFloating(middle)) continue;
    if (dtypeSize(middle) >= dtypeSize(result)) continue;
    if (outer->output()->uses().empty() && !outer->output()->isFusionOutput()) continue;
    fusion.replaceAllUses(outer->output(), source);
    applied = true;
  }
  return applied;
}

bool loseKeepdim(Fusion& fusion) {
  std::vector<Val*> outputs = fusion.outputs();
  bool applied = false;
  for (Val*& output : outputs) {
    const Expr* expr = output->definition();
    if (!expr || expr->op() != OpKind::Unsqueeze) continue;
    output = expr->input(0);
    applied = true;
  }
  if (applied) fusion.setOutputs(outputs);
  return applied;
}

bool sizeOfWrongAxis(Fusion& fusion) {
  bool applied = false;
  for (Expr* expr : exprsOf(fusion, OpKind::Size)) {
    Attributes attributes = expr->attributes();
    const int64_t rank = static_cast<int64_t>(expr->input(0)->as<TensorView>()->rank());
    if (rank < 2) continue;
    attributes.dim((attributes.dim() + 1) % rank);
    const std::vector<Val*> inputs = expr->inputs(), outputs = expr->outputs();
    fusion.removeExpr(expr);
    fusion.newExpr(OpKind::Size, inputs, outputs, attributes);
    applied = true;
  }
  return applied;
}

bool sizeOffByOne(Fusion& fusion) {
  bool applied = false;
  for (Expr* expr : exprsOf(fusion, OpKind::Size)) {
    Val* right = expr->output();
    const std::vector<Expr*> uses = right->uses();
    Val* wrong = build::binary(fusion, OpKind::Add, right, fusion.newConstant(int64_t{1}), right->name() + ".wrong");
    for (Expr* use : uses) {
      for (size_t i = 0; i < use->inputs().size(); ++i) {
        if (use->input(i) == right) fusion.replaceInput(use, i, wrong);
      }
    }
    std::vector<Val*> outputs = fusion.outputs();
    std::replace(outputs.begin(), outputs.end(), right, wrong);
    fusion.setOutputs(outputs);
    applied = true;
  }
  return applied;
}

// Unary ops alone: that the types agree is enough for the result to stay well formed.
bool mergeTwins(Fusion& fusion) {
  const auto sameType = [](const Val* a, const Val* b) {
    if (a->isScalar() || b->isScalar() || a->dtype() != b->dtype()) return false;
    const std::vector<IterDomain*> left = a->as<TensorView>()->axes(), right = b->as<TensorView>()->axes();
    return std::equal(
        left.begin(), left.end(), right.begin(), right.end(), [](const IterDomain* p, const IterDomain* q) {
          return p->type() == q->type() && p->extent() == q->extent() && p->expandedExtent() == q->expandedExtent();
        });
  };
  std::vector<Expr*> kept;
  bool applied = false;
  for (Expr* expr : std::vector<Expr*>(fusion.exprs())) {
    if (expr->family() != Family::Unary) continue;
    const auto twin = std::find_if(kept.begin(), kept.end(), [&](const Expr* other) {
      return other->op() == expr->op() && sameType(other->input(0), expr->input(0)) &&
             sameType(other->output(), expr->output());
    });
    const bool used = expr->output()->isFusionOutput() || !expr->output()->uses().empty();
    if (twin == kept.end()) {
      kept.push_back(expr);
    } else if (used) {
      fusion.replaceAllUses(expr->output(), (*twin)->output());
      applied = true;
    }
  }
  return applied;
}

}  // namespace fuser::fuzz::faults
