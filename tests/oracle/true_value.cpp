#include "tests/oracle/true_value.h"

#include <mpfr.h>

namespace oracle_test {

using fuser::DataType;
using fuser::OpKind;

namespace {

class Number {
 public:
  Number() { mpfr_init2(value_, kBits); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_t& get() { return value_; }
  // Enough for every sum of two doubles that matters here: exact sums need 2100 bits.
  static constexpr mpfr_prec_t kBits = 2200;

 private:
  mpfr_t value_;
};

using Unary = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);
using Binary = int (*)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

// Where 300 bits are plenty (no sum), the slow functions take them.
struct Function {
  Unary unary = nullptr;
  Binary binary = nullptr;
  mpfr_prec_t bits = 300;
};

// log |gamma|; MPFR also says which sign gamma has.
int magnitudeOfGamma(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding) {
  int sign = 0;
  return mpfr_lgamma(result, &sign, x, rounding);
}

Function functionOf(OpKind op) {
  if (op == OpKind::Exp) return {mpfr_exp, nullptr, 300};
  if (op == OpKind::Expm1) return {mpfr_expm1, nullptr, 300};
  if (op == OpKind::Log) return {mpfr_log, nullptr, 300};
  if (op == OpKind::Log1p) return {mpfr_log1p, nullptr, 300};
  if (op == OpKind::Sqrt) return {mpfr_sqrt, nullptr, 300};
  if (op == OpKind::Sin) return {mpfr_sin, nullptr, 300};
  if (op == OpKind::Cos) return {mpfr_cos, nullptr, 300};
  if (op == OpKind::Tanh) return {mpfr_tanh, nullptr, 300};
  if (op == OpKind::Erf) return {mpfr_erf, nullptr, 300};
  if (op == OpKind::Erfc) return {mpfr_erfc, nullptr, 300};
  if (op == OpKind::Exp2) return {mpfr_exp2, nullptr, 300};
  if (op == OpKind::Log2) return {mpfr_log2, nullptr, 300};
  if (op == OpKind::Log10) return {mpfr_log10, nullptr, 300};
  if (op == OpKind::Tan) return {mpfr_tan, nullptr, 300};
  if (op == OpKind::Asin) return {mpfr_asin, nullptr, 300};
  if (op == OpKind::Acos) return {mpfr_acos, nullptr, 300};
  if (op == OpKind::Atan) return {mpfr_atan, nullptr, 300};
  if (op == OpKind::Sinh) return {mpfr_sinh, nullptr, 300};
  if (op == OpKind::Cosh) return {mpfr_cosh, nullptr, 300};
  if (op == OpKind::Asinh) return {mpfr_asinh, nullptr, 300};
  if (op == OpKind::Acosh) return {mpfr_acosh, nullptr, 300};
  if (op == OpKind::Atanh) return {mpfr_atanh, nullptr, 300};
  if (op == OpKind::Lgamma) return {magnitudeOfGamma, nullptr, 300};
  if (op == OpKind::Square) return {mpfr_sqr, nullptr, 300};
  if (op == OpKind::Pow) return {nullptr, mpfr_pow, 300};
  if (op == OpKind::Atan2) return {nullptr, mpfr_atan2, 300};
  if (op == OpKind::Hypot) return {nullptr, mpfr_hypot, 300};
  if (op == OpKind::Add) return {nullptr, mpfr_add, Number::kBits};
  if (op == OpKind::Sub) return {nullptr, mpfr_sub, Number::kBits};
  if (op == OpKind::Mul) return {nullptr, mpfr_mul, 300};
  if (op == OpKind::Div) return {nullptr, mpfr_div, 300};
  if (op == OpKind::Fmod) return {nullptr, mpfr_fmod, 300};
  return {};
}

// Computes into `result`; false for an op without a function here.
bool evaluate(OpKind op, double a, double b, Number& result) {
  Number x, y;
  mpfr_set_d(x.get(), a, MPFR_RNDN);
  mpfr_set_d(y.get(), b, MPFR_RNDN);
  const Function function = functionOf(op);
  mpfr_set_prec(result.get(), function.bits);
  if (op == OpKind::Reciprocal) {
    mpfr_ui_div(result.get(), 1, x.get(), MPFR_RNDN);
  } else if (function.unary) {
    function.unary(result.get(), x.get(), MPFR_RNDN);
  } else if (function.binary) {
    function.binary(result.get(), x.get(), y.get(), MPFR_RNDN);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<double> trueValue(OpKind op, double a, double b, DataType compute) {
  Number result;
  if (!evaluate(op, a, b, result)) return std::nullopt;
  // 1 / sqrt(-0) is 1 / -0; MPFR says +inf.
  if (compute == DataType::Float) return static_cast<double>(mpfr_get_flt(result.get(), MPFR_RNDN));
  return mpfr_get_d(result.get(), MPFR_RNDN);
}

std::optional<TrueParts> trueParts(OpKind op, double a, double b) {
  Number result;
  if (!evaluate(op, a, b, result)) return std::nullopt;
  TrueParts parts{mpfr_get_d(result.get(), MPFR_RNDN), 0};
  if (parts.high - parts.high == 0) {
    mpfr_sub_d(result.get(), result.get(), parts.high, MPFR_RNDN);
    parts.low = mpfr_get_d(result.get(), MPFR_RNDN);
  }
  return parts;
}

}  // namespace oracle_test
