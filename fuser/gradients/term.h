#pragma once
// Term: a value inside of a formula, so that derivatives read as they are written on paper: `g * (1.0 - y * y)`.
// Each operation adds an op to the fusion, by the builders; a comparison gives a bool.

#include "fuser/ir/builder.h"

namespace fuser::gradients {

struct Term {
  Fusion* fusion = nullptr;
  Val* val = nullptr;

  TensorView* tensor() const { return val->as<TensorView>(); }
  Term made(Val* result) const { return {fusion, result}; }
  Term number(double value) const { return made(fusion->newConstant(ScalarValue(value))); }
  Term integer(int64_t value) const { return made(fusion->newConstant(ScalarValue(value))); }
};

Term apply(OpKind op, Term a);
Term apply(OpKind op, Term a, Term b);
Term select(Term condition, Term a, Term b);

// A Term, or a number that becomes a literal beside one.
#define TERM_OPERATOR(symbol, kind)                                                             \
  inline Term operator symbol(Term a, Term b) { return apply(OpKind::kind, a, b); }             \
  inline Term operator symbol(Term a, double b) { return apply(OpKind::kind, a, a.number(b)); } \
  inline Term operator symbol(double a, Term b) { return apply(OpKind::kind, b.number(a), b); }
TERM_OPERATOR(+, Add)
TERM_OPERATOR(-, Sub)
TERM_OPERATOR(*, Mul)
TERM_OPERATOR(/, Div)
TERM_OPERATOR(<, Lt)
TERM_OPERATOR(<=, Le)
TERM_OPERATOR(>, Gt)
TERM_OPERATOR(>=, Ge)
TERM_OPERATOR(==, Eq)
#undef TERM_OPERATOR
inline Term operator-(Term a) { return apply(OpKind::Neg, a); }
inline Term operator&&(Term a, Term b) { return apply(OpKind::LogicalAnd, a, b); }
inline Term operator||(Term a, Term b) { return apply(OpKind::LogicalOr, a, b); }
inline Term operator!(Term a) { return apply(OpKind::LogicalNot, a); }

#define TERM_FUNCTION(name, kind) \
  inline Term name(Term a) { return apply(OpKind::kind, a); }
TERM_FUNCTION(abs, Abs)
TERM_FUNCTION(sign, Sign)
TERM_FUNCTION(exp, Exp)
TERM_FUNCTION(exp2, Exp2)
TERM_FUNCTION(log, Log)
TERM_FUNCTION(log1p, Log1p)
TERM_FUNCTION(sqrt, Sqrt)
TERM_FUNCTION(rsqrt, Rsqrt)
TERM_FUNCTION(sin, Sin)
TERM_FUNCTION(cos, Cos)
TERM_FUNCTION(tan, Tan)
TERM_FUNCTION(sinh, Sinh)
TERM_FUNCTION(cosh, Cosh)
TERM_FUNCTION(tanh, Tanh)
TERM_FUNCTION(erf, Erf)
TERM_FUNCTION(sigmoid, Sigmoid)
TERM_FUNCTION(square, Square)
TERM_FUNCTION(isNan, IsNan)
#undef TERM_FUNCTION
inline Term pow(Term a, Term b) { return apply(OpKind::Pow, a, b); }
inline Term xlogy(Term a, Term b) { return apply(OpKind::Xlogy, a, b); }
inline Term truncDiv(Term a, Term b) { return apply(OpKind::TruncDiv, a, b); }
inline Term floorDiv(Term a, Term b) { return apply(OpKind::FloorDiv, a, b); }
inline Term select(Term condition, Term a, double b) { return select(condition, a, a.number(b)); }
inline Term select(Term condition, double a, Term b) { return select(condition, b.number(a), b); }

// 0 and 1 in the dtype of `like`.
Term asNumber(Term condition, Term like);

// A tensor of zeros, of the dtype and the sizes of `like`.
Term zeros(Term like);
// The same of another tensor's sizes.
TensorView* zerosOf(const TensorView* sizes, DataType dtype);

// The derivative of lgamma: its argument moved beyond 10 by psi(x) = psi(x + 1) - 1 / x, then the asymptotic series;
// below 0 by the reflection formula (Abramowitz and Stegun, 6.3.5, 6.3.7, 6.3.18). At 0 it is infinite, with the sign
// of -x; at negative integers NaN.
Term digamma(Term x);

}  // namespace fuser::gradients
