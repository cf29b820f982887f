#include "fuser/analysis/trailing_reshapes.h"

#include <algorithm>

#include "fuser/analysis/axis_map.h"

namespace fuser {

bool mayTrail(const Expr* expr) {
  if (expr->family() != Family::Reshape) return false;
  const auto* operand = expr->input(0)->as<TensorView>();
  const std::vector<IterDomain*> axes = operand->axes();
  return operand->memoryType() != MemoryType::Shared && !operand->domain().view && !readsInPlace(expr, operand) &&
         std::none_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis->isExpanded(); });
}

TrailingReshapes::TrailingReshapes(const std::vector<Expr*>& exprs) {
  if (std::none_of(exprs.begin(), exprs.end(), mayTrail)) return;  // as in most of the many parts that are asked about
  std::unordered_set<const Val*> reduced;  // what depends on a reduction
  for (const Expr* expr : exprs) {
    const bool depends = std::any_of(expr->inputs().begin(), expr->inputs().end(),
                                     [&](const Val* operand) { return reduced.count(operand) != 0; });
    if (depends || isReduction(expr->op())) reduced.insert(expr->outputs().begin(), expr->outputs().end());
    if (depends && mayTrail(expr)) trailing_.insert(expr);
  }
}

}  // namespace fuser
