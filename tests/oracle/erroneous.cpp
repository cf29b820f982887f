#include "tests/oracle/erroneous.h"

#include <cmath>
#include <limits>
#include <string_view>

#include "fuser/ops/host_math.h"
#include "fuser/ops/op_eval.h"
#include "fuser/types/scalar_value.h"

namespace oracle_test {

using fuser::DataType;
using fuser::OpKind;

namespace {

using Random = std::mt19937_64;

template <class T>
T stepped(T value, int64_t steps) {
  const T towards = steps > 0 ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
  for (int64_t i = 0; i < std::abs(steps); ++i) value = std::nextafter(value, towards);
  return value;
}

}  // namespace

template <class T>
T erroneousFunction(OpKind op, T x, T y, double errorScale, Random& random) {
  const double wide = static_cast<double>(x);
  const double second = static_cast<double>(y);
  double exact = 0;
  fuser::laneFunction(op, DataType::Double)(&wide, &second, nullptr, &exact, 1);
  const T nearest = static_cast<T>(exact);
  const bool fixed =
      x == 0 || std::isinf(x) || !std::isfinite(nearest) || nearest == 0 || y == 0 || std::isinf(y) || x == 1;
  if (fixed) return nearest;
  // In f64 the base is the C library's value, itself up to an ulp off.
  const int64_t steps = static_cast<int64_t>(fuser::opInfo(op).error * errorScale) - (sizeof(T) == 8 ? 1 : 0);
  const T moved = stepped(nearest, std::uniform_int_distribution<int64_t>(-steps, steps)(random));
  // No function crosses zero by its error.
  return (nearest > 0) != (moved > 0) ? std::copysign(T{0}, nearest) : moved;
}

namespace {

struct Errors {
  double scale;
  Random* random;
};
// Of the formula that is being evaluated: its expression has no place for an argument.
thread_local Errors errors{};

// A number whose arithmetic is rounded like T's, and whose library functions err.
template <class T>
struct Erring {
  T value{};

  Erring() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> Erring(Number number) : value(static_cast<T>(number)) {}

  static Erring function(OpKind op, Erring a) {
    return erroneousFunction<T>(op, a.value, T{1}, errors.scale, *errors.random);
  }

  Erring operator-() const { return -value; }
  Erring operator/(Erring b) const { return value / b.value; }
  bool operator==(const Erring&) const = default;
  auto operator<=>(const Erring&) const = default;
};

#define ERRING(name, expression) \
  template <class T>             \
  Erring<T> name(Erring<T> a) {  \
    return expression;           \
  }
ERRING(fabs, std::fabs(a.value))
ERRING(sqrt, std::sqrt(a.value))
ERRING(erf, Erring<T>::function(OpKind::Erf, a))
ERRING(exp, Erring<T>::function(OpKind::Exp, a))
ERRING(exp2, Erring<T>::function(OpKind::Exp2, a))
ERRING(expm1, Erring<T>::function(OpKind::Expm1, a))
ERRING(log, Erring<T>::function(OpKind::Log, a))
ERRING(log1p, Erring<T>::function(OpKind::Log1p, a))
ERRING(sin, Erring<T>::function(OpKind::Sin, a))
ERRING(tanh, Erring<T>::function(OpKind::Tanh, a))
#undef ERRING

template <class T>
Erring<T> plus(Erring<T> a, Erring<T> b) {
  return a.value + b.value;
}
template <class T>
Erring<T> minus(Erring<T> a, Erring<T> b) {
  return a.value - b.value;
}
template <class T>
Erring<T> times(Erring<T> a, Erring<T> b) {
  return a.value * b.value;
}
template <class T>
bool isNan(Erring<T> a) {
  return std::isnan(a.value);
}
template <class T>
bool isInfinite(Erring<T> a) {
  return fuser::isInfinite(a.value);
}

}  // namespace
}  // namespace oracle_test

// The expressions name the functions of op_math.cuh.
namespace fuser {
namespace {

template <class T>
T formula(OpKind op, [[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T c) {
#define POINTWISE(kind, mnemonic, variant, family, operands, accepts, promotion, result, scalar, domain, error, rule, \
                  agreement, ...)                                                                                     \
  if constexpr (IntervalRule::rule == IntervalRule::Formula) {                                                        \
    if (op == OpKind::kind) return __VA_ARGS__;                                                                       \
  }
#define STRUCTURAL(...)
#define REDUCTION(...)
#define SCAN(...)
#define PARTS(...)
#include "fuser/ops/op_table.def"
#undef POINTWISE
#undef STRUCTURAL
#undef REDUCTION
#undef SCAN
#undef PARTS
  FUSER_CHECK(false, opName(op), " is not a formula");
}

}  // namespace
}  // namespace fuser

namespace oracle_test {

template <class T>
T erroneousFormula(OpKind op, T a, T b, T c, double errorScale, Random& random) {
  errors = {errorScale, &random};
  return fuser::formula<Erring<T>>(op, a, b, c).value;
}

template float erroneousFunction(OpKind, float, float, double, Random&);
template double erroneousFunction(OpKind, double, double, double, Random&);
template float erroneousFormula(OpKind, float, float, float, double, Random&);
template double erroneousFormula(OpKind, double, double, double, double, Random&);

}  // namespace oracle_test
