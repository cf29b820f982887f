// ScalarsOnce: host scalars are computed by groups of their own, each by the host program once, and by no kernel.
// (Plain extents and a kernel's index arithmetic are no host scalars.)

#include "fuser/host_ir/host_program.h"
#include "fuser/segment/segmented_fusion.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;
namespace {

std::string checkGroups(const SegmentedFusion& segmented) {
  for (const SegmentedGroup* group : segmented.groups()) {
    const bool evaluates = group->schedulerType() == SchedulerType::ExprEval;
    for (const Expr* expr : group->exprs()) {
      if (expr->isScalarExpr() != evaluates)
        return concat("%", expr->output()->name(), evaluates ? ", a tensor," : ", a scalar,", " is in group ",
                      group->index(), ", which is ", schedulerTypeName(group->schedulerType()));
    }
  }
  return "";
}

}  // namespace

std::string checkScalarsOnce(const Compilation& compilation) {
  const std::string misplaced = checkGroups(compilation.segmented);
  if (!misplaced.empty()) return misplaced;
  std::vector<int> evaluated(compilation.presegmented.exprIdCount(), 0);
  for (const hir::Node& node : compilation.host.nodes) {
    const auto* scalars = std::get_if<hir::EvaluateScalars>(&node);
    if (!scalars) continue;
    for (const Expr* expr : scalars->exprs) ++evaluated.at(expr->id());
  }
  for (const Expr* expr : compilation.segmented.liveExprs()) {
    const int count = evaluated[expr->id()];
    if (expr->isScalarExpr() && count != 1)
      return concat("host scalar %", expr->output()->name(), " is evaluated ", count, " times");
  }
  for (const Fusion* part : compilation.parts) {
    for (const Expr* expr : part->exprs()) {
      if (expr->isScalarExpr()) return concat("a kernel computes host scalar %", expr->output()->name(), " again");
    }
  }
  return "";
}

}  // namespace oracle
