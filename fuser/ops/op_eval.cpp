// Instantiates the expression of every row of op_table.def for the compute types that the row accepts.
#include "fuser/ops/op_eval.h"

#include <algorithm>
#include <type_traits>

#include "fuser/ops/host_math.h"

namespace fuser {
namespace {

template <class T>
constexpr bool accepted(Accepts accepts) {
  if (accepts == Accepts::Any) return true;
  if (accepts == Accepts::Number) return !std::is_same_v<T, bool>;
  if (accepts == Accepts::Integral) return std::is_integral_v<T>;
  if (accepts == Accepts::Integer) return std::is_integral_v<T> && !std::is_same_v<T, bool>;
  return std::is_floating_point_v<T>;
}

// One struct per row: value() computes one element, lanes() arrays of them. Lanes that no statement has written hold
// any bytes.
#define POINTWISE(kind, mnemonic, variant, family, operands, accepts, promotion, result, scalar, domain, error, rule, \
                  agreement, ...)                                                                                     \
  template <class T>                                                                                                  \
  struct kind##Row {                                                                                                  \
    using Out = std::conditional_t<Result::result == Result::Bool, bool, T>;                                          \
    using First = std::conditional_t<std::string_view(operands) == "condition", bool, T>;                             \
    static Out value([[maybe_unused]] First a, [[maybe_unused]] T b, [[maybe_unused]] T c) { return __VA_ARGS__; }    \
    static void lanes(const void* in0, const void* in1, const void* in2, void* out, size_t count) {                   \
      [[maybe_unused]] const First* a = static_cast<const First*>(in0);                                               \
      [[maybe_unused]] const T* b = static_cast<const T*>(in1);                                                       \
      [[maybe_unused]] const T* c = static_cast<const T*>(in2);                                                       \
      Out* o = static_cast<Out*>(out);                                                                                \
      for (size_t i = 0; i < count; ++i) {                                                                            \
        if constexpr (Family::family == Family::Unary) {                                                              \
          o[i] = value(loadElement(a + i), T{}, T{});                                                                 \
        } else if constexpr (Family::family == Family::Binary) {                                                      \
          o[i] = value(loadElement(a + i), loadElement(b + i), T{});                                                  \
        } else {                                                                                                      \
          o[i] = value(loadElement(a + i), loadElement(b + i), loadElement(c + i));                                   \
        }                                                                                                             \
      }                                                                                                               \
    }                                                                                                                 \
  };
#define STRUCTURAL(...)
#define REDUCTION(...)
#define SCAN(...)
#define PARTS(...)
#include "fuser/ops/op_table.def"
#undef POINTWISE

template <class T>
LaneFunction laneFunctionFor(OpKind op) {
  switch (op) {
#define POINTWISE(kind, mnemonic, variant, family, operands, accepts, ...) \
  case OpKind::kind:                                                       \
    if constexpr (accepted<T>(Accepts::accepts))                           \
      return &kind##Row<T>::lanes;                                         \
    else                                                                   \
      return nullptr;
#undef STRUCTURAL
#undef REDUCTION
#undef SCAN
#undef PARTS
#define STRUCTURAL(kind, ...) case OpKind::kind:
#define REDUCTION(kind, ...) case OpKind::kind:
#define SCAN(kind, ...) case OpKind::kind:
#define PARTS(kind, ...) case OpKind::kind:
#include "fuser/ops/op_table.def"
#undef POINTWISE
#undef STRUCTURAL
#undef REDUCTION
#undef SCAN
#undef PARTS
    break;
  }
  FUSER_CHECK(false, opName(op), " is not pointwise");
}

template <class T>
void joinWelfordLanes(void* mean, void* squares, int64* count, size_t offset, size_t lanes) {
  T* m = static_cast<T*>(mean);
  T* s = static_cast<T*>(squares);
  for (size_t i = 0; i < lanes; ++i) {
    const WelfordPart<T> joined = joinWelford(WelfordPart<T>{m[i], s[i], count[i]},
                                              WelfordPart<T>{m[i + offset], s[i + offset], count[i + offset]});
    m[i] = joined.mean;
    s[i] = joined.squares;
    count[i] = joined.count;
  }
}

template <class From, class To>
void convertLanes(const void* from, void* to, size_t lanes) {
  const From* in = static_cast<const From*>(from);
  To* out = static_cast<To*>(to);
  for (size_t i = 0; i < lanes; ++i) out[i] = convert<To>(loadElement(in + i));
}

}  // namespace

LaneFunction laneFunction(OpKind op, DataType computeDtype) {
  FUSER_CHECK(computeType(computeDtype) == computeDtype, computeDtype, " is not a compute type");
  return dispatch(computeDtype, [&]<class T>() -> LaneFunction {
    if constexpr (std::is_arithmetic_v<T>) return laneFunctionFor<T>(op);
    return nullptr;
  });
}

WelfordFunction welfordFunction(DataType dtype) {
  FUSER_CHECK(dtype == DataType::Float || dtype == DataType::Double, "Welford's method does not compute in ", dtype);
  return dtype == DataType::Float ? &joinWelfordLanes<float> : &joinWelfordLanes<double>;
}

float sumWithProducts(float sum, const float* left, const float* right) { return addProducts(sum, left, right); }

ConvertFunction convertFunction(DataType from, DataType to) {
  return dispatch(from, [&]<class From>() -> ConvertFunction {
    return dispatch(to, []<class To>() -> ConvertFunction { return &convertLanes<From, To>; });
  });
}

DataType scalarCommonType(OpKind op, std::span<const DataType> operands) {
  DataType common = DataType::Bool;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (isPromoted(op, i)) common = promoteTypes(common, operands[i]);
  }
  return promotedType(op, common, true);
}

ScalarValue evaluateScalar(OpKind op, std::span<const ScalarValue> operands) {
  FUSER_CHECK(operands.size() == operandCount(op), opName(op));
  DataType dtypes[3] = {};
  std::transform(operands.begin(), operands.end(), dtypes, [](const ScalarValue& value) { return value.dtype(); });
  const DataType common = scalarCommonType(op, {dtypes, operands.size()});
  const LaneFunction function = laneFunction(op, common);
  FUSER_CHECK(function, opName(op), " does not take ", common);
  const bool toBool = opInfo(op).result == Result::Bool;
  return dispatch(common, [&]<class T>() -> ScalarValue {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, int64> || std::is_same_v<T, bool>) {
      T in[3] = {};
      bool condition = false;
      for (size_t i = 0; i < operands.size(); ++i) in[i] = operands[i].as<T>();
      const void* first = &in[0];
      if (takesCondition(op, 0)) {
        condition = operands[0].as<bool>();
        first = &condition;
      }
      T out{};
      bool truth = false;
      function(first, &in[1], &in[2], toBool ? static_cast<void*>(&truth) : &out, 1);
      return toBool ? ScalarValue(truth) : ScalarValue(out);
    } else {
      FUSER_CHECK(false, common, " is not a scalar type");
    }
  });
}

namespace {

template <class From, class To>
void bitcastLanes(const void* in, const void*, const void*, void* out, size_t lanes) {
  for (size_t i = 0; i < lanes; ++i) static_cast<To*>(out)[i] = bitcast<To>(static_cast<const From*>(in)[i]);
}

}  // namespace

LaneFunction bitcastFunction(DataType from, DataType to) {
  const DataType floating = isFloating(from) ? from : to, integer = isFloating(from) ? to : from;
  if (isFloating(from) == isFloating(to) || bitsDtype(floating) != integer) return nullptr;
  return dispatch(floating, [&]<class Float>() -> LaneFunction {
    if constexpr (std::is_same_v<Float, double>) {
      return isFloating(from) ? bitcastLanes<double, int64> : bitcastLanes<int64, double>;
    } else if constexpr (std::is_same_v<Float, float> || !std::is_arithmetic_v<Float>) {
      return isFloating(from) ? bitcastLanes<Float, int32> : bitcastLanes<int32, Float>;
    } else {
      return nullptr;
    }
  });
}

}  // namespace fuser
