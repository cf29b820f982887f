#include "fuzz/compilers/exact_mode.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "fuser/ops/op_table.h"
#include "fuser/types/scalar_value.h"

namespace fuser::fuzz {
namespace {

enum class Rule : uint8_t { Keep, Add, Multiply, Divide, Quotient, Shift, Convert, Total, Average, Product };

struct ExactRow {
  OpKind op;
  Rule rule;
};
constexpr ExactRow kRows[] = {
#define EXACT(op, rule) {OpKind::op, Rule::rule},
#include "fuzz/compilers/exact_mode.def"
#undef EXACT
};

constexpr double kNone = std::numeric_limits<double>::infinity();

// What is known of all elements of a value.
struct Facts {
  DataType dtype = DataType::Float;
  int64_t count = 0;
  double magnitude = 0;  // the largest
  double unit = kNone;   // the largest power of two of which all are multiples; of zeros infinity
  double total = 0;      // of all magnitudes
  bool isFinite = true;
  bool powersOfTwo = true;
  bool hasZero = false, hasNegative = false;
};

double lowestBit(double number) {
  int exponent = 0;
  const auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(number, &exponent), 53));
  return std::ldexp(static_cast<double>(mantissa & -mantissa), exponent - 53);
}

void addTo(Facts& facts, double number) {
  ++facts.count;
  facts.isFinite &= std::isfinite(number);
  if (!facts.isFinite) return;
  const double magnitude = std::abs(number);
  facts.magnitude = std::max(facts.magnitude, magnitude);
  facts.total += magnitude;
  facts.hasZero |= magnitude == 0;
  facts.hasNegative |= number < 0;
  if (magnitude == 0) return;
  const double bit = lowestBit(magnitude);
  facts.unit = std::min(facts.unit, bit);
  facts.powersOfTwo &= bit == magnitude;
}

// What a dtype holds to the bit.
struct Room {
  int bits;      // of a multiple of the unit
  double most;   // magnitude
  double least;  // unit: far from what may be flushed to zero
};
Room roomOf(DataType dtype) {
  switch (dtype) {
    case DataType::Double: return {53, 0x1p500, 0x1p-500};
    case DataType::Float: return {24, 0x1p100, 0x1p-100};
    case DataType::Half: return {11, 0x1p15, 0x1p-10};
    case DataType::BFloat16: return {8, 0x1p100, 0x1p-100};
    case DataType::Int64: return {53, 0x1p53, 1};  // as far as f64 shows it
    case DataType::Int32: return {31, 0x1p31 - 1, 1};
    case DataType::Int8: return {7, 0x1p7 - 1, 1};
    case DataType::Bool: return {53, 0x1p53, 0};
  }
  FUSER_CHECK(false, "bad DataType");
}

// Whether every multiple of the unit up to the magnitude is a number of the dtype.
bool fits(double magnitude, double unit, DataType dtype) {
  const Room room = roomOf(dtype);
  if (magnitude == 0) return true;
  return magnitude <= room.most && unit >= room.least && magnitude <= std::ldexp(unit, room.bits);
}

std::optional<Facts> factsOf(const std::optional<reference::Value>& value) {
  if (!value) return std::nullopt;
  Facts facts;
  if (const ScalarValue* scalar = std::get_if<ScalarValue>(&value->value)) {
    facts.dtype = scalar->dtype();
    addTo(facts, scalar->as<double>());
    return facts;
  }
  const TensorRef& tensor = std::get<TensorRef>(value->value);
  facts.dtype = tensor.dtype;
  for (int64_t index = 0, count = numel(tensor.sizes); index < count; ++index) {
    int64_t rest = index, place = 0;
    for (size_t axis = tensor.sizes.size(); axis-- > 0;) {
      place += rest % tensor.sizes[axis] * tensor.strides[axis];
      rest /= tensor.sizes[axis];
    }
    const auto* element =
        static_cast<const std::byte*>(tensor.data) + static_cast<size_t>(place) * dtypeSize(tensor.dtype);
    addTo(facts, elementAt(tensor.dtype, element).as<double>());
  }
  return facts;
}

std::string tooWide(std::string_view what, DataType dtype) {
  return concat(what, " may need more than the ", roomOf(dtype).bits, " bits of ", dtype);
}

class ExactRun {
 public:
  ExactRun(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& values) : fusion_(fusion) {
    for (const std::optional<reference::Value>& value : values) facts_.push_back(factsOf(value));
    for (const Expr* expr : fusion.exprs()) {
      for (const Val* operand : expr->inputs()) noteLiteral(*operand);
    }
  }

  std::string why() const {
    for (const Val* input : fusion_.inputs()) {
      if (const std::string problem = unfit(*input); !problem.empty()) return concat("input %", input->name(), problem);
    }
    for (const Expr* expr : fusion_.exprs()) {
      std::string problem = ofExpr(*expr);
      for (const Val* result : expr->outputs()) {
        if (problem.empty()) problem = unfit(*result);
      }
      if (!problem.empty()) return concat(expr->info().mnemonic, " %", expr->output()->name(), problem);
    }
    return "";
  }

 private:
  // The reference has no values of literals.
  void noteLiteral(const Val& val) {
    const Scalar* scalar = val.isScalar() ? val.as<Scalar>() : nullptr;
    if (scalar && scalar->isConstant()) facts_.at(val.id()) = factsOf(reference::Value{*scalar->constant(), nullptr});
  }

  const Facts* of(const Val& val) const {
    return val.id() < facts_.size() && facts_[val.id()] ? &*facts_[val.id()] : nullptr;
  }

  std::string unfit(const Val& val) const {
    const Facts* facts = of(val);
    if (!facts) return ": its value is not known";
    if (!facts->isFinite) return ": it has NaN or an infinity";
    return fits(facts->magnitude, facts->unit, facts->dtype) ? "" : ": " + tooWide("its elements", facts->dtype);
  }

  // The dtype in which the op computes: with a bool as its result, that of its first operand that is a tensor.
  static DataType computed(const Expr& expr) {
    const DataType result = expr.output()->dtype();
    if (result != DataType::Bool) return result;
    for (const Val* operand : expr.inputs()) {
      if (operand->isTensor() && operand->dtype() != DataType::Bool) return operand->dtype();
    }
    return expr.inputs().empty() ? result : expr.input(0)->dtype();
  }

  std::string ofExpr(const Expr& expr) const {
    const auto* row =
        std::find_if(std::begin(kRows), std::end(kRows), [&](const ExactRow& one) { return one.op == expr.op(); });
    if (row == std::end(kRows)) return ": it has no row in exact mode";
    std::vector<Facts> operands;
    for (const Val* operand : expr.inputs()) {
      const Facts* facts = of(*operand);
      if (!facts) return ": an operand is not known";
      if (!facts->isFinite) return ": an operand has NaN or an infinity";
      operands.push_back(*facts);
    }
    const DataType dtype = computed(expr);
    const bool isConverted = row->rule == Rule::Convert;
    for (const Facts& operand : operands) {
      if (!isConverted && !fits(operand.magnitude, operand.unit, dtype)) return ": " + tooWide("an operand", dtype);
    }
    const Facts* result = of(*expr.output());
    const std::string problem = ofRule(row->rule, operands, dtype, result ? result->count : 0);
    return problem.empty() ? "" : ": " + problem;
  }

  static std::string ofRule(Rule rule, const std::vector<Facts>& operands, DataType dtype, int64_t results) {
    switch (rule) {
      case Rule::Keep: return "";
      case Rule::Add: return ofSum(operands, dtype);
      case Rule::Multiply: return ofProduct(operands, dtype);
      case Rule::Divide: return operands[1].powersOfTwo && !operands[1].hasZero ? "" : "a divisor is no power of two";
      case Rule::Quotient: return ofQuotient(operands, dtype);
      case Rule::Shift: return ofShift(operands, dtype);
      case Rule::Convert: return ofConversion(operands[0], dtype);
      case Rule::Total: return ofTotal(operands[0], dtype, results);
      case Rule::Average: {
        const auto terms = static_cast<double>(operands[0].count / std::max<int64_t>(results, 1));
        if (terms == 0 || lowestBit(terms) != terms) return "the number of its terms is no power of two";
        return ofTotal(operands[0], dtype, results);
      }
      case Rule::Product: {
        const int64_t terms = operands[0].count / std::max<int64_t>(results, 1);
        const double largest = std::pow(std::max(operands[0].magnitude, 1.0), static_cast<double>(terms));
        const double unit = std::pow(std::min(operands[0].unit, 1.0), static_cast<double>(terms));
        return fits(largest, unit, dtype) ? "" : tooWide("the product", dtype);
      }
    }
    FUSER_CHECK(false, "bad Rule");
  }

  static std::string ofSum(const std::vector<Facts>& operands, DataType dtype) {
    double magnitude = 0, unit = kNone;
    for (const Facts& operand : operands) {
      magnitude += operand.magnitude;
      unit = std::min(unit, operand.unit);
    }
    return fits(magnitude, unit, dtype) ? "" : tooWide("the sum", dtype);
  }

  static std::string ofProduct(const std::vector<Facts>& operands, DataType dtype) {
    const Facts& a = operands.front();
    const Facts& b = operands.back();  // of square the same
    return fits(a.magnitude * b.magnitude, a.unit * b.unit, dtype) ? "" : tooWide("the product", dtype);
  }

  static std::string ofQuotient(const std::vector<Facts>& operands, DataType dtype) {
    const Facts& a = operands[0];
    const Facts& b = operands[1];
    if (b.hasZero) return "a divisor is 0";
    const double unit = std::min(a.unit, b.unit);
    if (isFloating(dtype) && a.magnitude > 0 && !fits(a.magnitude / unit * (b.magnitude / unit), 1, dtype))
      return tooWide("the quotient", dtype);
    return "";
  }

  static std::string ofShift(const std::vector<Facts>& operands, DataType dtype) {
    const Facts& by = operands[1];
    if (by.hasNegative || by.magnitude >= static_cast<double>(8 * dtypeSize(dtype))) return "it shifts too far";
    const double factor = std::ldexp(1.0, static_cast<int>(by.magnitude));
    return fits(operands[0].magnitude * factor, 1, dtype) ? "" : tooWide("the shifted number", dtype);
  }

  static std::string ofConversion(const Facts& operand, DataType dtype) {
    if (dtype == DataType::Bool) return "";
    const double unit = isFloating(dtype) ? operand.unit : 1;
    return fits(operand.magnitude, unit, dtype) ? "" : tooWide("the operand", dtype);
  }

  static std::string ofTotal(const Facts& operand, DataType dtype, int64_t results) {
    const auto terms = static_cast<double>(operand.count / std::max<int64_t>(results, 1));
    const double most = std::min(operand.total, operand.magnitude * terms);
    return fits(most, operand.unit, dtype) ? "" : tooWide("the sum", dtype);
  }

  const Fusion& fusion_;
  std::vector<std::optional<Facts>> facts_;
};

}  // namespace

std::set<OpKind> exactOps() {
  std::set<OpKind> ops;
  for (const ExactRow& row : kRows) ops.insert(row.op);
  return ops;
}

std::string whyNotExact(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& values) {
  return ExactRun(fusion, values).why();
}

}  // namespace fuser::fuzz
