// NoOp: accepts parts that compute no element: every output is empty, or a view of an existing tensor. Empty outputs
// are allocated; no kernel runs.
#include <algorithm>

#include "fuser/schedule/scheduler_list.h"

namespace fuser {

std::string whyNotNoOp(const FusionView& view, std::shared_ptr<const ReferenceMap>&) {
  for (const Expr* expr : view.exprs) {
    if (expr->isScalarExpr()) return "scalars run on the host";
  }
  for (const Val* output : view.outputs) {
    if (output->isScalar()) return "scalars run on the host";
    if (output->as<TensorView>()->domain().view) continue;
    const std::vector<IterDomain*> axes = output->as<TensorView>()->axes();
    const bool empty = view.sizes && std::any_of(axes.begin(), axes.end(), [&](const IterDomain* axis) {
                         return view.sizes->isZero(axis->size());
                       });
    if (!empty) return concat("%", output->name(), " has elements");
  }
  return "";
}

Schedule scheduleNoOp(const Fusion&, SizeFacts*, const std::vector<InputLayout>&, const ReferenceMap*) { return {}; }

}  // namespace fuser
