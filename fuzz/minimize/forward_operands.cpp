// %b = relu(%a)   goes away; who read %b reads %a
// First operands of the same type, many at once; then, one by one, any earlier value of the same dtype and rank. In
// place of what nothing reads, and is returned, of any dtype.
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {
namespace {

// Whether `a` may stand for `b`: what is returned alone may have any dtype.
bool isLike(const Val* a, const Val* b) {
  const bool isReturnedAlone = b->isFusionOutput() && b->uses().empty();
  if (a->isScalar() != b->isScalar() || (!isReturnedAlone && a->dtype() != b->dtype())) return false;
  return a->isScalar() || a->as<TensorView>()->rank() == b->as<TensorView>()->rank();
}

const Val* likeOperand(const Expr* expr) {
  for (const Val* operand : expr->inputs()) {
    const bool literal = operand->isScalar() && operand->as<Scalar>()->isConstant();
    if (!literal && isLike(operand, expr->output())) return operand;
  }
  return nullptr;
}

bool forwardAnything(Search& search) {
  bool progress = false;
  for (size_t i = search.best().fusion->exprs().size(); i-- > 0 && !search.isOver();) {
    const Fusion& fusion = *search.best().fusion;
    if (i >= fusion.exprs().size()) continue;
    const Expr* expr = fusion.exprs()[i];
    std::vector<const Val*> earlier(fusion.inputs().begin(), fusion.inputs().end());
    for (const Val* operand : expr->inputs()) {
      // Through one expression more: what it was made from.
      if (operand->definition()) {
        for (const Val* source : operand->definition()->inputs()) earlier.push_back(source);
      }
    }
    for (const Val* val : earlier) {
      const bool literal = val->isScalar() && val->as<Scalar>()->isConstant();
      if (literal || !isLike(val, expr->output())) continue;
      Change change;
      change.replaced[expr->output()->id()] = val->id();
      if (!search.attempt(change)) continue;
      progress = true;
      break;
    }
  }
  return progress;
}

}  // namespace

bool forwardOperands(Search& search) {
  const bool progress = reduceChunks(
      search, [&] { return search.best().fusion->exprs().size(); },
      [&](size_t first, size_t last) -> std::optional<Change> {
        const std::vector<Expr*>& exprs = search.best().fusion->exprs();
        Change change;
        for (size_t i = first; i < last; ++i) {
          if (const Val* operand = likeOperand(exprs[i])) change.replaced[exprs[i]->output()->id()] = operand->id();
        }
        if (change.replaced.empty()) return std::nullopt;
        return change;
      });
  return forwardAnything(search) || progress;
}

}  // namespace fuser::fuzz
