// RunsScalarsOnce: of a run, over all its evaluators - the checks of sizes on the original, the lookup of a program,
// its compilation, the host program - each host scalar that the program evaluates is computed once, and no scalar
// twice. What the caller computed beforehand in the evaluator that it hands to the run is not computed again.

#include <set>

#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkRunsScalarsOnce(const Compilation& compilation) {
  const RunScalars& scalars = compilation.run->scalars;
  std::set<const Val*> computed;  // values of the original, or without an origin; look-ups only
  for (const Val* scalar : scalars.sizes().evaluated()) {
    if (!computed.insert(scalar).second)
      return concat("the checks of sizes compute host scalar %", scalar->name(), " again");
  }
  for (const Val* scalar : scalars.evaluated()) {
    if (!computed.insert(scalars.originOf(scalar)).second)
      return concat("a run computes host scalar %", scalar->name(), " again");
  }
  for (const hir::HostExpr* node : hostExprsOf<hir::EvaluateScalars>(compilation.host)) {
    for (const Expr* expr : std::get<hir::EvaluateScalars>(node->node).exprs) {
      if (computed.count(scalars.originOf(expr->output())) != 0) continue;
      return concat("no evaluator of the run computes host scalar %", expr->output()->name());
    }
  }
  return "";
}

}  // namespace oracle
