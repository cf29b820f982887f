// The rows of derivatives.def, and how a row is applied.

#include <cmath>

#include "fuser/gradients/derivative.h"

namespace fuser::gradients {
namespace {

Term slopeOfGeluTanh(Term x) {
  const Term inner = 0.7978845608028654 * (x + 0.044715 * (x * x * x));
  const Term tangent = tanh(inner);
  const Term slope = 0.7978845608028654 * (1.0 + 0.134145 * (x * x));
  return 0.5 * (1.0 + tangent) + 0.5 * x * ((1.0 - tangent * tangent) * slope);
}

Term slopeOfSilu(Term x) {
  const Term part = sigmoid(x);
  return part * (1.0 + x * (1.0 - part));
}

Term slopeOfMish(Term x) {
  const Term tangent = tanh(log1p(exp(x)));
  return tangent + x * sigmoid(x) * (1.0 - tangent * tangent);
}

Term slopeOfSinc(Term x) {
  const Term turn = x * 3.141592653589793, scale = x * x * 3.141592653589793;
  return select(scale == 0.0, 0.0, (turn * cos(turn) - sin(turn)) / scale);
}

Term slopeOfLogit(Term x) {
  const Term edge = select((x == 0.0) || (x == 1.0), HUGE_VAL, 1.0 / (x * (1.0 - x)));
  return select((x < 0.0) || (x > 1.0), std::nan(""), edge);
}

// 1 / (a^2 + b^2); 0 where both are 0.
Term inverseOfSquares(Term a, Term b) {
  const Term squares = a * a + b * b;
  return select(squares == 0.0, 0.0, 1.0 / squares);
}

Derivative pointwise(OpKind op, std::vector<Formula> formulas) { return {op, std::move(formulas), nullptr, "", ""}; }
Derivative structural(OpKind op, void (*function)(Step&)) { return {op, {}, function, "", ""}; }
Derivative none(OpKind op, std::string_view why) { return {op, {}, nullptr, why, ""}; }
Derivative refused(OpKind op, std::string_view why) { return {op, {}, nullptr, "", why}; }

// A lambda's parameters are those that a formula may name.
#define FORMULA(...)                                                                 \
  [](const Term g, const Term a, const Term b, const Term c, const Term y) -> Term { \
    (void)g, (void)a, (void)b, (void)c, (void)y;                                     \
    return __VA_ARGS__;                                                              \
  }
#define NOTHING Term()

const std::vector<Derivative>& rows() {
  static const std::vector<Derivative> kRows = {
#define UNARY(kind, a) pointwise(OpKind::kind, {FORMULA(a)}),
#define BINARY(kind, a, b) pointwise(OpKind::kind, {FORMULA(a), FORMULA(b)}),
#define TERNARY(kind, a, b, c) pointwise(OpKind::kind, {FORMULA(a), FORMULA(b), FORMULA(c)}),
#define FUNCTION(kind, function) structural(OpKind::kind, function),
#define NONE(kind, why) none(OpKind::kind, why),
#define REFUSED(kind, why) refused(OpKind::kind, why),
#include "fuser/gradients/derivatives.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef FUNCTION
#undef NONE
#undef REFUSED
  };
  return kRows;
}

#undef FORMULA
#undef NOTHING

}  // namespace

const Derivative* derivativeOf(OpKind op) {
  for (const Derivative& row : rows()) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

void differentiate(const Derivative& derivative, Step& step) {
  if (derivative.function) {
    derivative.function(step);
    return;
  }
  const size_t count = derivative.formulas.size();
  bool any = false;
  for (size_t i = 0; i < count; ++i) any |= step.wants(i);
  if (!any) return;
  const Term none;
  const Term g = step.g(), a = step.x(0), b = count > 1 ? step.x(1) : none, c = count > 2 ? step.x(2) : none;
  const Term y = step.y();
  for (size_t i = 0; i < count; ++i) {
    if (step.wants(i)) step.give(i, derivative.formulas[i](g, a, b, c, y));
  }
}

}  // namespace fuser::gradients
