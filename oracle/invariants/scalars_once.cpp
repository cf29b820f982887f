// ScalarsOnce: host scalars are computed by groups of their own, and no part of a kernel has their expressions.

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
  for (const Fusion* part : compilation.parts) {
    for (const Expr* expr : part->exprs()) {
      if (expr->isScalarExpr()) return concat("a kernel computes host scalar %", expr->output()->name(), " again");
    }
  }
  return "";
}

}  // namespace oracle
