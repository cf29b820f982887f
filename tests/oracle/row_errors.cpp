#include "tests/oracle/row_errors.h"

#include <cmath>
#include <limits>
#include <optional>

#include "fuser/ops/op_eval.h"
#include "fuser/ops/op_table.h"
#include "oracle/compare.h"
#include "oracle/rounding.h"
#include "oracle/rule_group.h"
#include "oracle/slice.h"
#include "tests/oracle/true_value.h"

namespace oracle_test {

using fuser::DataType;
using fuser::OpKind;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kDoubt = 0x1p-50;         // of a result of a f64 function: 4 to 8 ulps
constexpr double kSubnormals = 0x1p-1060;  // where f64 has fewer digits, and f32 nothing but 0
constexpr uint64_t kSampleEvery = 1024;    // operands: of these MPFR gives the true value, too

// The nearest number of f32 with an exponent of any size above: beyond the largest number, too.
double nearestFloat(double value) {
  if (std::isinf(value) || std::fabs(value) < 0x1p127) return static_cast<double>(static_cast<float>(value));
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(static_cast<double>(static_cast<float>(fraction)), exponent);
}

// Below this operand lgamma has zeros between its poles, and no bound (oracle/ORACLE.md#4-rules-by-op).
bool hasBound(OpKind op, const Operands& x) { return op != OpKind::Lgamma || !(x[0] < -2.2637) || std::isinf(x[0]); }

// Where the C standard and CUDA's manual fix the value, so that no column counts.
bool isFixed(OpKind op, const Operands& x, double value) {
  if (value == 0) return true;
  if (op == OpKind::Pow) return x[0] == 1 || x[1] == 0;
  return fuser::operandCount(op) == 1 && op != OpKind::Erfc && x[0] == 0 && value == 1;
}

Truth truthFromMpfr(OpKind op, const Operands& x, DataType compute) {
  const std::optional<TrueParts> parts = trueParts(op, x[0], x[1]);
  FUSER_CHECK(parts, "tests/oracle/true_value.cpp has no ", fuser::opName(op));
  Truth truth{parts->high, parts->low, parts->high};
  if (compute == DataType::Double) return truth;
  const double once = *trueValue(op, x[0], x[1], compute);
  truth.nearest = std::isinf(once) ? nearestFloat(parts->high) : once;
  return truth;
}

// From the value of the f64 function.
Truth truthOfFloat(OpKind op, const Operands& x, double value) {
  if (value != value || value == 0 || std::isinf(value)) return {value, 0, value};
  const double low = nearestFloat(value - value * kDoubt), high = nearestFloat(value + value * kDoubt);
  return low == high ? Truth{value, 0, low} : truthFromMpfr(op, x, DataType::Float);
}

}  // namespace

RowKind kindOf(OpKind op) {
  const oracle::RuleGroup group = oracle::ruleGroup(op);
  if (group == oracle::RuleGroup::Function) return RowKind::Function;
  if (group == oracle::RuleGroup::FunctionOfTwo && op != OpKind::Nextafter) return RowKind::Function;
  const bool errs = fuser::opInfo(op).agreement == fuser::Agreement::Library;
  return group == oracle::RuleGroup::Formula && errs ? RowKind::Steps : RowKind::Exact;
}

Distance distanceOf(double result, const Truth& truth, DataType compute) {
  const Distance none{0, 0}, whole{kInfinite, kInfinite};
  if (result != result || truth.value != truth.value)
    return result != result && truth.value != truth.value ? none : whole;
  if (result == 0 && truth.value == 0) return std::signbit(result) == std::signbit(truth.value) ? none : whole;
  if (std::isinf(truth.value)) return result == truth.value ? none : whole;
  const double largest = oracle::format(compute).largest;
  double extra = 0;
  if (std::isinf(result)) {
    if (std::fabs(truth.nearest) > largest) return std::signbit(result) == std::signbit(truth.value) ? none : whole;
    result = std::copysign(largest, result);
    extra = 1;
  }
  const double size = std::min(std::max(std::fabs(result), std::fabs(truth.nearest)), largest);
  const double unit = oracle::ulp(size, compute);
  return {std::fabs((result - truth.value) - truth.rest) / unit + extra,
          std::fabs(result - truth.nearest) / unit + extra};
}

void Seen::addWrong(const std::string& what) {
  if (wrong++ == 0) firstWrong = what;
}

RowErrors::RowErrors(OpKind op, const RowFusion& row, DataType dtype)
    : op_(op), row_(row), dtype_(dtype), compute_(fuser::computeType(dtype)) {}

void RowErrors::setOperands(std::span<const Numbers> operands, uint64_t first) {
  operands_.clear();
  for (const Numbers& operand : operands) operands_.push_back(operand.values);
  truths_.clear();
  sets_ = {};
  const RowKind kind = kindOf(op_);
  if (kind != RowKind::Exact) setTruths(first);
  // Of functions the first array, for the oracle's own reading of a column.
  if (kind != RowKind::Function || first == 0) setSets();
}

Operands RowErrors::operandsAt(size_t i) const { return {operands_[0][i], operands_.size() > 1 ? operands_[1][i] : 0}; }

void RowErrors::setTruths(uint64_t first) {
  const size_t count = operands_[0].size();
  const bool isFunction = kindOf(op_) == RowKind::Function;
  if (compute_ == DataType::Double) {
    if (!isFunction) return;  // there is nothing more precise that is fast
    for (size_t i = 0; i < count; ++i) {
      const Operands x = operandsAt(i);
      truths_.push_back(hasBound(op_, x) ? truthFromMpfr(op_, x, compute_) : Truth{});
    }
    return;
  }
  std::vector<double> values(count);
  std::array<std::vector<double>, 2> named;
  std::array<const void*, 3> in{};
  for (size_t i = 0; i < operands_.size(); ++i) in[i] = operands_[i].data();
  for (size_t i = 0; i < row_.named().size(); ++i) {
    named[i].assign(count, row_.named()[i].as<double>());
    in[operands_.size() + i] = named[i].data();
  }
  fuser::laneFunction(op_, DataType::Double)(in[0], in[1], in[2], values.data(), count);
  for (size_t i = 0; i < count; ++i) {
    const Operands x = operandsAt(i);
    // Of a formula its f64 steps, which err as much less as f64 is finer.
    truths_.push_back(isFunction ? truthOfFloat(op_, x, values[i]) : Truth{values[i], 0, nearestFloat(values[i])});
    if (!isFunction || (first + i) % kSampleEvery != 0 || !hasBound(op_, x)) continue;
    const double precise = truthFromMpfr(op_, x, compute_).value;
    const bool near = values[i] == precise ||
                      std::fabs(values[i] - precise) <= std::fabs(precise) * kDoubt + kSubnormals ||
                      (values[i] != values[i] && precise != precise);
    if (near || !problem_.empty()) continue;
    char text[96];
    std::snprintf(text, sizeof text, "the f64 function gives %a where MPFR gives %a", values[i], precise);
    problem_ = text;
  }
}

void RowErrors::setSets() {
  std::vector<oracle::Value> sets;
  for (std::vector<double>& numbers : operands_) {
    const auto count = static_cast<int64_t>(numbers.size());
    std::vector<oracle::Interval> points;
    points.reserve(numbers.size());
    for (double number : numbers) points.push_back(oracle::Interval::of(number));
    oracle::Value value;
    value.dtype = compute_;
    value.sizes = {count};
    value.strides = {1};
    value.real = std::make_shared<const std::vector<oracle::Interval>>(std::move(points));
    sets.push_back(std::move(value));
  }
  for (const fuser::ScalarValue& scalar : row_.named()) sets.push_back(oracle::exact(scalar));
  sets_ = oracle::pointwise(row_.expr(), sets, {});
}

std::string RowErrors::describe(size_t i, double result) const {
  char text[160];
  const Operands x = operandsAt(i);
  std::snprintf(text, sizeof text, "%a, %a gives %a", x[0], x[1], result);
  return text;
}

const char* RowErrors::whyWrong(size_t i, const RowResults& results, const Distance* distance) const {
  const double result = results.computed[i];
  if (dtype_ != compute_) {
    const bool isTruth = fuser::opInfo(op_).result == fuser::Result::Bool;
    const double rounded = isTruth ? result : oracle::convertTo(result, dtype_);
    const double stored = results.stored[i];
    const bool same =
        rounded == stored ? std::signbit(rounded) == std::signbit(stored) : rounded != rounded && stored != stored;
    if (!same) return "which is not what is stored";
  }
  const auto at = static_cast<int64_t>(i);
  if (sets_.real && !oracle::contains(sets_.realAt(at), result)) return "outside of the oracle's set";
  if (sets_.whole && oracle::toString(sets_.wholeAt(at), DataType::Bool) != (result == 1 ? "true" : "false"))
    return "the other truth";
  if (kindOf(op_) != RowKind::Function || !distance) return nullptr;
  const double truth = truths_[i].value;
  if (result == 0 && std::signbit(result) != std::signbit(truth)) return "the other zero";
  const double allowed = isFixed(op_, operandsAt(i), truth) ? 0 : fuser::opInfo(op_).error;
  return distance->fromNearest > allowed ? "farther off than the column" : nullptr;
}

void RowErrors::add(const RowResults& results, Seen& seen) const {
  if (!problem_.empty()) seen.addWrong(problem_);
  for (size_t i = 0; i < operands_[0].size(); ++i) {
    const double result = results.computed[i];
    std::optional<Distance> distance;
    if (!truths_.empty() && hasBound(op_, operandsAt(i))) distance = distanceOf(result, truths_[i], compute_);
    if (const char* why = whyWrong(i, results, distance ? &*distance : nullptr))
      seen.addWrong(fuser::concat(describe(i, result), ", ", why));
    if (!distance) continue;
    seen.fromNearest = std::max(seen.fromNearest, distance->fromNearest);
    if (distance->fromTruth > seen.ulps) {
      seen.ulps = distance->fromTruth;
      seen.at = operandsAt(i);
    }
  }
}

}  // namespace oracle_test
