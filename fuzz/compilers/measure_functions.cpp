#include "fuzz/compilers/measure_functions.h"

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "fuser/ops/op_table.h"
#include "fuser/support/check.h"
#include "fuser/text/parser.h"
#include "fuzz/compilers/target_outcome.h"
#include "fuzz/export/export.h"
#include "oracle/rounding.h"

namespace fuser::fuzz {
namespace {

// A number of MPFR. Bits enough for cancellations in the formulas below.
class Real {
 public:
  Real() { mpfr_init2(value_, kBits); }
  Real(double number) : Real() { mpfr_set_d(value_, number, MPFR_RNDN); }
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }
  mpfr_t& get() { return value_; }
  const mpfr_t& get() const { return value_; }
  double rounded() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  static constexpr mpfr_prec_t kBits = 256;
  mpfr_t value_;
};

template <class Function>
Real apply(const Function& function, const Real& a) {
  Real result;
  function(result.get(), a.get(), MPFR_RNDN);
  return result;
}
template <class Function>
Real apply(const Function& function, const Real& a, const Real& b) {
  Real result;
  function(result.get(), a.get(), b.get(), MPFR_RNDN);
  return result;
}
Real operator+(const Real& a, const Real& b) { return apply(mpfr_add, a, b); }
Real operator-(const Real& a, const Real& b) { return apply(mpfr_sub, a, b); }
Real operator*(const Real& a, const Real& b) { return apply(mpfr_mul, a, b); }
Real operator/(const Real& a, const Real& b) { return apply(mpfr_div, a, b); }
Real operator-(const Real& a) { return apply(mpfr_neg, a); }
Real decimal(const char* decimal) {
  Real result;
  mpfr_set_str(result.get(), decimal, 10, MPFR_RNDN);
  return result;
}
Real pi() {
  Real result;
  mpfr_const_pi(result.get(), MPFR_RNDN);
  return result;
}
Real exp(const Real& a) { return apply(mpfr_exp, a); }
Real log(const Real& a) { return apply(mpfr_log, a); }
Real tanh(const Real& a) { return apply(mpfr_tanh, a); }
Real logOnePlusExp(const Real& a) { return apply(mpfr_log1p, exp(a)); }
Real clamped(const Real& a) { return apply(mpfr_min, apply(mpfr_max, a, 0.0), 6.0); }
bool isBelowZero(const Real& a) { return mpfr_sgn(a.get()) < 0; }
bool isNought(const Real& a) { return mpfr_zero_p(a.get()) != 0; }

using Unary = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);
using Binary = int (*)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

struct MeasuredOp {
  OpKind op;
  Unary unary = nullptr;
  Binary binary = nullptr;
  Real (*formula)(const Real&) = nullptr;
  Real (*formulaOfTwo)(const Real&, const Real&) = nullptr;
  bool isBinary() const { return binary || formulaOfTwo; }
};

const MeasuredOp kOps[] = {
    {OpKind::Exp, mpfr_exp},
    {OpKind::Expm1, mpfr_expm1},
    {OpKind::Exp2, mpfr_exp2},
    {OpKind::Log, mpfr_log},
    {OpKind::Log1p, mpfr_log1p},
    {OpKind::Log2, mpfr_log2},
    {OpKind::Log10, mpfr_log10},
    {OpKind::Sin, mpfr_sin},
    {OpKind::Cos, mpfr_cos},
    {OpKind::Tan, mpfr_tan},
    {OpKind::Asin, mpfr_asin},
    {OpKind::Acos, mpfr_acos},
    {OpKind::Atan, mpfr_atan},
    {OpKind::Sinh, mpfr_sinh},
    {OpKind::Cosh, mpfr_cosh},
    {OpKind::Tanh, mpfr_tanh},
    {OpKind::Asinh, mpfr_asinh},
    {OpKind::Acosh, mpfr_acosh},
    {OpKind::Atanh, mpfr_atanh},
    {OpKind::Erf, mpfr_erf},
    {OpKind::Erfc, mpfr_erfc},
    {OpKind::Sqrt, mpfr_sqrt},
    {OpKind::Rsqrt, nullptr, nullptr, [](const Real& x) { return 1.0 / apply(mpfr_sqrt, x); }},
    {OpKind::Sigmoid, nullptr, nullptr, [](const Real& x) { return 1.0 / (1.0 + exp(-x)); }},
    {OpKind::Silu, nullptr, nullptr, [](const Real& x) { return x / (1.0 + exp(-x)); }},
    {OpKind::Gelu, nullptr, nullptr,
     [](const Real& x) { return x * 0.5 * apply(mpfr_erfc, -x / apply(mpfr_sqrt, 2.0)); }},
    {OpKind::GeluTanh, nullptr, nullptr,
     [](const Real& x) {
       return 0.5 * x * (1.0 + tanh(apply(mpfr_sqrt, 2.0 / pi()) * (x + decimal("0.044715") * x * x * x)));
     }},
    {OpKind::Mish, nullptr, nullptr, [](const Real& x) { return x * tanh(logOnePlusExp(x)); }},
    {OpKind::LogSigmoid, nullptr, nullptr, [](const Real& x) { return -logOnePlusExp(-x); }},
    {OpKind::Softsign, nullptr, nullptr, [](const Real& x) { return x / (1.0 + apply(mpfr_abs, x)); }},
    {OpKind::Tanhshrink, nullptr, nullptr, [](const Real& x) { return x - tanh(x); }},
    {OpKind::Logit, nullptr, nullptr, [](const Real& x) { return log(x / (1.0 - x)); }},
    {OpKind::Sinc, nullptr, nullptr,
     [](const Real& x) { return isNought(x) ? Real(1.0) : apply(mpfr_sin, pi() * x) / (pi() * x); }},
    {OpKind::Hardswish, nullptr, nullptr, [](const Real& x) { return x * clamped(x + 3.0) / 6.0; }},
    {OpKind::Hardsigmoid, nullptr, nullptr, [](const Real& x) { return clamped(x + 3.0) / 6.0; }},
    {OpKind::Selu, nullptr, nullptr,
     [](const Real& x) {
       return isBelowZero(x) ? apply(mpfr_expm1, x) * decimal("1.7580993408473766") : x * decimal("1.0507009873554805");
     }},
    {OpKind::Pow, nullptr, mpfr_pow},
    {OpKind::Atan2, nullptr, mpfr_atan2},
    {OpKind::Hypot, nullptr, mpfr_hypot},
    {OpKind::Logaddexp, nullptr, nullptr, nullptr, [](const Real& a, const Real& b) { return log(exp(a) + exp(b)); }},
};

const MeasuredOp& measuredOp(OpKind op) {
  for (const MeasuredOp& row : kOps) {
    if (row.op == op) return row;
  }
  FUSER_CHECK(false, opName(op), " is not measured");
}

Real valueInMpfr(const MeasuredOp& row, double a, double b) {
  if (row.unary) return apply(row.unary, a);
  if (row.binary) return apply(row.binary, a, b);
  return row.formula ? row.formula(a) : row.formulaOfTwo(a, b);
}

double smallestNormal(DataType dtype) { return std::ldexp(1.0, oracle::format(dtype).minExponent); }

// An infinity counts as the first number beyond the largest.
double finite(double number, DataType dtype) {
  if (!std::isinf(number)) return number;
  const double largest = oracle::format(dtype).largest;
  return std::copysign(largest, number) + std::copysign(oracle::ulp(largest, dtype), number);
}

// In ulps of the dtype at the true value.
double errorAt(const MeasuredOp& row, DataType dtype, bool flushes, double a, double b, double result) {
  const Real value = valueInMpfr(row, a, b);
  const double nearest = oracle::roundOnce(value.rounded(), dtype);
  if (std::isnan(nearest) || std::isnan(result))
    return std::isnan(nearest) && std::isnan(result) ? 0 : std::numeric_limits<double>::infinity();
  if (nearest == result) return std::isinf(result) ? 0 : 0.5;
  if (flushes && result == 0 && std::fabs(nearest) < smallestNormal(computeType(dtype))) return 0;
  const double at = std::isinf(nearest) ? oracle::format(dtype).largest : nearest;
  const Real difference = value - Real(finite(result, dtype));
  return std::fabs(difference.rounded()) / oracle::ulp(at, dtype);
}

// Numbers of the dtype: of 16 bits each one, as far as there is a single operand.
std::vector<double> pointsOf(DataType dtype, bool isBinary, uint64_t seed) {
  std::vector<double> points;
  if (dtypeSize(dtype) == 2 && !isBinary) {
    for (uint32_t bits = 0; bits < kMeasuredPoints; ++bits)
      points.push_back(oracle::numberOfNarrow(static_cast<uint16_t>(bits), dtype));
    return points;
  }
  std::mt19937_64 random(seed);
  const double range = isBinary ? 6 : std::log2(oracle::format(dtype).largest);
  std::uniform_real_distribution<double> exponent(-30, range), near(-8, 8);
  for (size_t i = 0; i < kMeasuredPoints; ++i) {
    const double size = std::exp2(exponent(random));
    const double beside = near(random);
    const double point = i % 2 ? beside : i % 4 ? -size : size;
    points.push_back(oracle::roundOnce(point, dtype));
  }
  return points;
}

std::string recipeOf(std::span<const double> points) {
  std::string text = "values [";
  char number[40];
  for (size_t i = 0; i < points.size(); ++i) {
    std::snprintf(number, sizeof number, "%s%.17g", i ? ", " : "", points[i]);
    text += number;
  }
  return text + "]";
}

std::vector<double> elementsOf(const AnswerTensor& tensor) {
  std::vector<double> numbers;
  const size_t size = dtypeSize(tensor.dtype);
  for (size_t at = 0; at < tensor.elements.size(); at += size)
    numbers.push_back(elementAt(tensor.dtype, tensor.elements.data() + at).as<double>());
  return numbers;
}

}  // namespace

std::span<const OpKind> measurableOps() {
  static const std::vector<OpKind> ops = [] {
    std::vector<OpKind> list;
    for (const MeasuredOp& row : kOps) list.push_back(row.op);
    return list;
  }();
  return ops;
}

Measurement errorOfResults(OpKind op, DataType dtype, bool flushes, std::span<const double> a,
                           std::span<const double> b, std::span<const double> results) {
  const MeasuredOp& row = measuredOp(op);
  const bool isBinary = row.isBinary();
  const auto magnitude = [&](size_t i) { return std::max(std::fabs(a[i]), isBinary ? std::fabs(b[i]) : 0); };
  std::vector<size_t> order;
  const double normal = flushes ? smallestNormal(computeType(dtype)) : 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const bool isKnown = std::isfinite(a[i]) && (!isBinary || std::isfinite(b[i]));
    const bool isDenormal =
        (a[i] != 0 && std::fabs(a[i]) < normal) || (isBinary && b[i] != 0 && std::fabs(b[i]) < normal);
    if (isKnown && !isDenormal) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return magnitude(i) < magnitude(j); });
  // More says nothing that decides.
  const double limit = dtypeSize(dtype) == 2 ? 4 : 64;
  oracle::FunctionError error{op, dtype, 0, 0};
  for (const size_t i : order) {
    const double off = errorAt(row, dtype, flushes, a[i], isBinary ? b[i] : 0, results[i]);
    if (off > limit) {
      const std::string why = concat("off by ", off, " ulps at ", a[i], isBinary ? concat(", ", b[i]) : "");
      if (error.most < 8) return {std::nullopt, why};  // too few operands are left
      error.most = std::min(error.most, std::exp2(std::floor(std::log2(magnitude(i)))));
      return {error, why};
    }
    error.ulps = std::max(error.ulps, off);
    error.most = magnitude(i);
  }
  error.most = oracle::format(dtype).largest;
  if (isBinary) error.most = magnitude(order.back());
  return {error, ""};
}

Measurement measureFunction(const Target& target, WorkerProcess& worker, OpKind op, DataType dtype, bool flushes) {
  const bool isBinary = measuredOp(op).isBinary();
  const std::vector<double> a = pointsOf(dtype, isBinary, 1), b = pointsOf(dtype, true, 2);
  const std::string type = concat(dtype, "[", a.size(), "]");
  const std::string text = concat("fusion measured(%a: ", dtype, "[i0]",
                                  isBinary ? concat(", %b: ", dtype, "[i0]") : "", ") {\n  %y = ", opInfo(op).mnemonic,
                                  "(%a", isBinary ? ", %b" : "", ")\n  return %y\n}\nrun {\n  %a = ", recipeOf(a),
                                  " : ", type, isBinary ? concat("\n  %b = ", recipeOf(b), " : ", type) : "", "\n}\n");
  const Exported exported = exportFormat(target.format).write(parseCase(text, "measured"));
  if (exported.refusal) return {std::nullopt, toString(*exported.refusal)};
  const WorkerReply reply = worker.ask(requestOf(exported));
  if (reply.ending != WorkerEnding::Answered) return {std::nullopt, reply.detail.substr(0, reply.detail.find('\n'))};
  if (reply.answer.kind != AnswerKind::Ok || reply.answer.runs.empty())
    return {std::nullopt, reply.answer.text.substr(0, reply.answer.text.find('\n'))};
  const std::vector<double> results = elementsOf(reply.answer.runs.front().outputs.at(0));
  FUSER_USER_CHECK(results.size() == a.size(), target.name, " gives ", results.size(), " results of ", a.size());
  return errorOfResults(op, dtype, flushes, a, b, results);
}

}  // namespace fuser::fuzz
