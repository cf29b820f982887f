// Ranges by evaluation: a row's own expression at a few points of each operand's range.

#include "fuzz/generate/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "fuser/ops/op_eval.h"

namespace fuser::fuzz {

Estimate wildEstimate() { return {-1e30, 1e30, false, true}; }

namespace {

// Ends, middle, zero and the values beside it where a function has its poles and jumps.
std::vector<double> pointsOf(const Estimate& estimate, DataType dtype) {
  const double low = estimate.low, high = estimate.high;
  std::vector<double> points = {low, high, low + (high - low) / 2, low + (high - low) / 4, high - (high - low) / 4};
  for (double special : {0.0, 1.0, -1.0}) {
    if (estimate.contains(special)) points.push_back(special);
  }
  if (!isFloating(dtype)) {
    for (double& point : points) point = std::floor(point);
  }
  return points;
}

struct Lanes {
  std::vector<double> doubles[3];
  std::vector<unsigned char> condition;
  size_t count = 0;
};

// All combinations of the operands' points.
Lanes combinations(OpKind op, std::span<const Estimate> operands, DataType common) {
  std::vector<double> points[3];
  for (size_t i = 0; i < 3; ++i) {
    if (i >= operands.size()) {
      points[i] = {0};
    } else if (takesCondition(op, i)) {
      points[i] = {0, 1};
    } else {
      points[i] = pointsOf(operands[i], common);
    }
  }
  Lanes lanes;
  for (double a : points[0]) {
    for (double b : points[1]) {
      for (double c : points[2]) {
        lanes.doubles[0].push_back(a);
        lanes.doubles[1].push_back(b);
        lanes.doubles[2].push_back(c);
        lanes.condition.push_back(a != 0);
      }
    }
  }
  lanes.count = lanes.condition.size();
  return lanes;
}

// The row at every lane, in f64 where it takes f64 and in i64 or bool otherwise.
std::vector<double> evaluateLanes(OpKind op, const Lanes& lanes) {
  const OpInfo& info = opInfo(op);
  DataType compute = DataType::Double;
  LaneFunction function = laneFunction(op, compute);
  for (DataType other : {DataType::Int64, DataType::Bool}) {
    if (!function) function = laneFunction(op, compute = other);
  }
  FUSER_CHECK(function, opName(op), " takes no dtype");
  std::vector<double> results(lanes.count);
  dispatch(compute, [&]<class T>() {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, int64> || std::is_same_v<T, bool>) {
      // Not std::vector<T>: of bool it has no array.
      const std::unique_ptr<T[]> in[3] = {std::make_unique<T[]>(lanes.count), std::make_unique<T[]>(lanes.count),
                                          std::make_unique<T[]>(lanes.count)};
      for (size_t i = 0; i < 3; ++i) {
        for (size_t lane = 0; lane < lanes.count; ++lane) in[i][lane] = convert<T>(lanes.doubles[i][lane]);
      }
      const void* first =
          takesCondition(op, 0) ? static_cast<const void*>(lanes.condition.data()) : in[0].get();
      if (info.result == Result::Bool) {
        const auto out = std::make_unique<bool[]>(lanes.count);
        function(first, in[1].get(), in[2].get(), out.get(), lanes.count);
        std::copy_n(out.get(), lanes.count, results.begin());
      } else {
        const auto out = std::make_unique<T[]>(lanes.count);
        function(first, in[1].get(), in[2].get(), out.get(), lanes.count);
        std::transform(out.get(), out.get() + lanes.count, results.begin(),
                       [](T value) { return convert<double>(value); });
      }
    }
  });
  return results;
}

// Whether the values at the ends bound the values inside.
bool endsBound(IntervalRule rule) {
  switch (rule) {
    case IntervalRule::Monotone:
    case IntervalRule::Corners:
    case IntervalRule::Select:
    case IntervalRule::Move: return true;
    case IntervalRule::Critical:
    case IntervalRule::ExactInDtype:
    case IntervalRule::Formula:
    case IntervalRule::Reduction: return false;
  }
  FUSER_CHECK(false, "bad IntervalRule");
}

}  // namespace

double Estimate::magnitude() const { return std::max(std::abs(low), std::abs(high)); }

Estimate pointEstimate(const ScalarValue& value) {
  const double point = value.as<double>();
  if (!std::isfinite(point)) return wildEstimate();
  return {point, point, true, false};
}

Estimate hull(const Estimate& a, const Estimate& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.certain && b.certain, a.wild || b.wild};
}

double saneMagnitude(DataType dtype) {
  switch (dtype) {
    case DataType::Double: return 1e15;
    case DataType::Float:
    case DataType::BFloat16: return 1e10;
    case DataType::Half: return 2e4;
    case DataType::Int64: return 1e15;
    case DataType::Int32: return 1e9;
    case DataType::Float8E4M3: return 400;
    case DataType::Float8E5M2: return 2e4;
    case DataType::UInt32: return 4e9;
    case DataType::Bool: return 1;
    default: return static_cast<double>(integerRange(dtype).most);
  }
}

bool isSane(const Estimate& estimate, DataType dtype) {
  return !estimate.wild && estimate.magnitude() <= saneMagnitude(dtype);
}

Estimate convertEstimate(const Estimate& estimate, DataType from, DataType to) {
  if (to == DataType::Bool) return {0, 1, true, false};
  if (estimate.wild || from == to) return estimate;
  Estimate result = estimate;
  if (isFloating(from) && !isFloating(to)) {
    result.low = std::trunc(result.low);
    result.high = std::trunc(result.high);
  }
  result.wild = result.magnitude() > saneMagnitude(to) || (isUnsigned(to) && result.low < 0);
  return result;
}

Estimate pointwiseEstimate(OpKind op, std::span<const Estimate> operands, DataType common) {
  const OpInfo& info = opInfo(op);
  const DataType result = info.result == Result::Bool ? DataType::Bool : common;
  if (result == DataType::Bool) return {0, 1, true, false};
  if (op == OpKind::Philox) return wildEstimate();  // any integer
  bool certain = endsBound(info.rule);
  for (size_t i = takesCondition(op, 0) ? 1 : 0; i < operands.size(); ++i) {
    if (operands[i].wild) return wildEstimate();
    certain = certain && operands[i].certain;
  }
  // Functions with critical points lose all precision far out (sin of 10^6 in f32).
  if (info.rule == IntervalRule::Critical && info.agreement == Agreement::Library && operands[0].magnitude() > 100) {
    return wildEstimate();
  }
  const std::vector<double> values = evaluateLanes(op, combinations(op, operands, common));
  Estimate estimate{values[0], values[0], certain, false};
  for (double value : values) {
    if (!(std::abs(value) <= saneMagnitude(result)) || (isUnsigned(result) && value < 0)) return wildEstimate();
    estimate.low = std::min(estimate.low, value);
    estimate.high = std::max(estimate.high, value);
  }
  return estimate;
}

Estimate reductionEstimate(OpKind op, const Estimate& operand, DataType dtype, int64_t terms, bool mayBeEmpty) {
  if (operand.wild) return wildEstimate();
  const OpKind combine = opInfo(op).combine.value();
  const double n = static_cast<double>(terms);
  Estimate result = operand;
  if (combine == OpKind::Add) {
    if (isFloating(dtype)) {
      // Elements scatter about the middle: far fewer than all reach one end.
      const double middle = (operand.low + operand.high) / 2, radius = (operand.high - operand.low) / 2;
      const double reach = std::min(n, 6 * std::sqrt(n)) * radius;
      result = {middle * n - reach, middle * n + reach, operand.certain && n <= 36, false};
    } else {
      result.low = std::min(operand.low * n, operand.low);
      result.high = std::max(operand.high * n, operand.high);
    }
  } else if (combine == OpKind::Mul) {
    const double largest = std::pow(std::max(operand.magnitude(), 1.0), n);
    result.low = operand.low >= 0 ? std::pow(std::min(operand.low, 1.0), n) : -largest;
    result.high = largest;
    if (isFloating(dtype) && operand.contains(0) && terms > 100) result.wild = true;  // all underflow
    if (operand.low > 0 && result.low < 1e-6) result.wild = true;
  }
  if (opInfo(op).finish == Finish::DivideByCount) {
    if (mayBeEmpty) return wildEstimate();
    const bool certain = result.certain;
    result = operand;
    result.certain = certain;
  }
  if (mayBeEmpty) {
    const Identity identity = reductionIdentity(op, dtype);
    result =
        hull(result, pointEstimate(isFloating(dtype) ? ScalarValue(identity.floating) : ScalarValue(identity.integer)));
  }
  if (!std::isfinite(result.low) || !std::isfinite(result.high) || result.magnitude() > saneMagnitude(dtype)) {
    return wildEstimate();
  }
  return result;
}

bool isDefined(OpKind op, std::span<const Estimate> operands, DataType common) {
  if (opInfo(op).domain == Domain::Bounds) {
    return !operands[1].wild && !operands[2].wild && operands[1].high <= operands[2].low;
  }
  if (isFloating(common)) return true;
  switch (opInfo(op).domain) {
    case Domain::Any: return true;
    case Domain::Divisor:
      return operands[1].certain && !operands[1].wild && (operands[1].low >= 1 || operands[1].high <= -2);
    case Domain::Exponent: return operands[1].certain && !operands[1].wild && operands[1].low >= 0;
    case Domain::Magnitude:
      return operands[0].certain && !operands[0].wild && operands[0].magnitude() < saneMagnitude(common);
    case Domain::Bounds: break;
  }
  FUSER_CHECK(false, "bad Domain");
}

}  // namespace fuser::fuzz
