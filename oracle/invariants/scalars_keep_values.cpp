// ScalarsKeepValues: a run hands the values of scalars from evaluator to evaluator by origin, so a scalar that names
// the wrong origin would take another's value. Here nothing is handed on: the program's expressions and the original's,
// each evaluated from the inputs, give the same values, which are those that the run used.

#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkScalarsKeepValues(const Compilation& compilation) {
  const FinishedRun& run = *compilation.run;
  ExpressionEvaluator program = run.evaluator.withInputsAlone();
  ExpressionEvaluator original = run.scalars.sizes().withInputsAlone();
  for (const Expr* expr : compilation.presegmented.exprs()) {
    if (!expr->isScalarExpr()) continue;
    const Val* scalar = expr->output();
    const ScalarValue value = program.evaluate(scalar);
    const std::optional<ScalarValue> used = run.evaluator.known(scalar);
    if (used && *used != value)
      return concat("a run takes ", *used, " for host scalar %", scalar->name(), " = ", value);
    if (!scalar->origin()) continue;
    const ScalarValue expected = original.evaluate(run.scalars.originOf(scalar));
    if (expected == value) continue;
    return concat("host scalar %", scalar->name(), " is ", value, ", and its origin is ", expected);
  }
  return "";
}

}  // namespace oracle
