// ExprEval: accepts parts with only scalar expressions. They run on the host, so the schedule is empty.
#include "fuser/schedule/scheduler_list.h"

namespace fuser {

std::string whyNotExprEval(const FusionView& view, std::shared_ptr<const ReferenceMap>&) {
  for (const Expr* expr : view.exprs) {
    if (!expr->isScalarExpr()) return concat("%", expr->output()->name(), " is a tensor");
  }
  return view.exprs.empty() ? "nothing to evaluate" : "";
}

Schedule scheduleExprEval(const Fusion&, SizeFacts*, const std::vector<InputLayout>&, const ReferenceMap*,
                          const DeviceProperties&) {
  return {};
}

}  // namespace fuser
