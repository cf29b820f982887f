// add(%x, %y)   becomes   add(%x, 1.0);   mul(%x, 0.3517)   becomes   mul(%x, 2.0)
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {
namespace {

std::vector<ScalarValue> simpleValues(DataType dtype) {
  switch (category(dtype)) {
    case Category::Float: return {1.0, 2.0, 0.5, 0.0};
    case Category::Int: return {int64_t{1}, int64_t{2}, int64_t{0}};
    case Category::Bool: return {true, false};
  }
  FUSER_CHECK(false, "bad Category");
}

}  // namespace

bool simpleOperands(Search& search) {
  bool progress = false;
  for (size_t i = search.best().fusion->exprs().size(); i-- > 0 && !search.isOver();) {
    for (size_t operand = 0; i < search.best().fusion->exprs().size(); ++operand) {
      const Expr* expr = search.best().fusion->exprs()[i];
      if (operand >= expr->inputs().size()) break;
      const bool pointwise = isPointwise(expr->op());
      if (!pointwise && expr->input(operand)->isTensor()) continue;
      const bool literal = expr->input(operand)->isScalar() && expr->input(operand)->as<Scalar>()->isConstant();
      for (const ScalarValue& value : simpleValues(expr->input(operand)->dtype())) {
        if (literal && *expr->input(operand)->as<Scalar>()->constant() == value) break;  // as simple as it gets
        Change change;
        change.literals[{expr->id(), operand}] = value;
        if (!search.attempt(change)) continue;
        progress = true;
        break;
      }
    }
  }
  return progress;
}

}  // namespace fuser::fuzz
