// The rows of stablehlo.def, filled in.

#include "fuzz/export/stablehlo_ops.h"

#include <algorithm>
#include <limits>

#include "fuzz/export/formula.h"
#include "fuzz/export/stablehlo_lines.h"

namespace fuser::fuzz {
namespace {

using stablehlo::Lines;
using stablehlo::Sizes;

// --- formulas ---

constexpr NamedFormula kStablehloHelpers[] = {
#define HELPER(name, formula) {#name, formula},
#define FORMULA(...)
#define SELECTION(...)
#define WRITTEN(...)
#define REFUSED(...)
#include "fuzz/export/stablehlo.def"
#undef HELPER
#undef FORMULA
#undef SELECTION
#undef WRITTEN
#undef REFUSED
};

DataType integersOf(DataType dtype) { return dtypeSize(dtype) == 8 ? DataType::Int64 : DataType::Int32; }

std::string_view comparedAs(DataType dtype) {
  switch (category(dtype)) {
    case Category::Float: return "FLOAT";
    case Category::Int: return "SIGNED";
    case Category::Bool: return "UNSIGNED";
  }
  FUSER_CHECK(false, "bad Category");
}

// Writes formulas that compute in a dtype, on tensors of these sizes.
class FormulaLines {
 public:
  FormulaLines(StablehloBody& body, DataType dtype, Sizes sizes)
      : body_(body), dtype_(dtype), sizes_(std::move(sizes)) {}

  StablehloValue number(double number) const { return body_.constant(ScalarValue(number), dtype_, sizes_); }
  StablehloValue word(std::string_view name) const {
    if (name == "inf") return number(std::numeric_limits<double>::infinity());
    FUSER_CHECK(name == "width", "stablehlo.def: there is no word '", name, "'");
    return number(8.0 * static_cast<double>(dtypeSize(dtype_)));
  }
  StablehloValue call(std::string_view name, std::string_view attribute,
                      const std::vector<StablehloValue>& operands) const {
    if (name == "convert") return body_.cast(operands.at(0), dtypeNamed(attribute));
    std::string listed;
    for (const StablehloValue& operand : operands) listed += concat(listed.empty() ? "%" : ", %", operand.name);
    if (name == "compare") {
      const std::string compared = concat("compare ", attribute, ", ", listed, ", ", comparedAs(operands[0].dtype));
      return body_.line(compared, operands, DataType::Bool, operands[0].sizes);
    }
    if (isUnsigned(operands[0].dtype)) {  // neither abs nor sign takes them
      if (name == "shift_right_arithmetic") name = "shift_right_logical";
      if (name == "abs") return operands[0];
      if (name == "sign") return body_.elementwise(concat("minimum ", listed, ", %", number(1).name), operands, dtype_);
    }
    const std::string text = concat(name, " ", listed);
    if (name == "select") return body_.line(text, operands, operands[1].dtype, sizes_);
    return body_.elementwise(text, operands, resultOf(name, attribute, operands));
  }
  static std::span<const NamedFormula> helpers() { return kStablehloHelpers; }

 private:
  DataType dtypeNamed(std::string_view attribute) const {
    if (attribute == "T") return dtype_;
    if (attribute == "bits") return integersOf(dtype_);
    FUSER_CHECK(attribute == "bool", "stablehlo.def: the dtype '", attribute, "' is not T, bits or bool");
    return DataType::Bool;
  }
  DataType resultOf(std::string_view name, std::string_view attribute,
                    const std::vector<StablehloValue>& operands) const {
    if (name == "is_finite") return DataType::Bool;
    if (name == "bitcast_convert") return dtypeNamed(attribute);
    return operands.at(0).dtype;
  }

  StablehloBody& body_;
  DataType dtype_;
  Sizes sizes_;
};

// One operation of StableHLO on operands of the common dtype: it rounds once, as the language does.
bool isOneOperation(const Formula& formula, const Expr* expr, DataType common) {
  if (formula.kind != Formula::Kind::Call) return false;
  for (const NamedFormula& helper : kStablehloHelpers) {
    if (helper.name == formula.name) return isOneOperation(parseFormula(helper.formula), expr, common);
  }
  for (size_t i = 0; i < expr->inputs().size(); ++i) {
    if (operandType(expr, i, common) != common && !takesCondition(expr->op(), i)) return false;
  }
  return std::all_of(formula.operands.begin(), formula.operands.end(),
                     [](const Formula& operand) { return operand.kind != Formula::Kind::Call; });
}

StablehloValue formulaOf(const Lines& lines, std::string_view text, bool selects) {
  const Expr* expr = lines.expr();
  const Formula formula = parseFormula(text);
  const DataType common = commonType(expr);
  const DataType computed = selects || isOneOperation(formula, expr, common) ? common : computeType(common);
  const Sizes sizes = lines.sizesOfResult();
  std::vector<StablehloValue> operands;
  for (size_t i = 0; i < expr->inputs().size(); ++i) {
    const DataType dtype = operandType(expr, i, common);
    const StablehloValue operand = lines.cast(lines.operand(i, dtype, sizes), dtype);
    const StablehloValue converted = takesCondition(expr->op(), i) ? operand : lines.cast(operand, computed);
    operands.push_back(lines.body().broadcast(converted, sizes));
  }
  FormulaLines writer(lines.body(), computed, sizes);
  return writeFormula<StablehloValue>(formula, operands, writer);
}

// --- rows that are functions: casts and views ---

StablehloValue converted(const Lines& lines) { return lines.cast(lines.operand(0), lines.dtype()); }

StablehloValue bitcast(const Lines& lines) {
  const StablehloValue value = lines.operand(0);
  return lines.body().line(concat("bitcast_convert %", value.name), {value}, lines.dtype(), value.sizes);
}

StablehloValue reshaped(const Lines& lines) { return reshapedTo(lines, lines.operand(0), lines.sizesOfResult()); }
StablehloValue element(const Lines& lines) {
  return lines.cast(reshapedTo(lines, lines.operand(0), {}), lines.dtype());
}

StablehloValue expanded(const Lines& lines) {
  const Sizes sizes = lines.sizesOfResult();
  return lines.body().broadcast(lines.cast(lines.operand(0, lines.dtype(), sizes), lines.dtype()), sizes);
}

StablehloValue permuted(const Lines& lines) {
  const StablehloValue value = lines.operand(0);
  return lines.body().line(concat("transpose %", value.name, ", dims = ", stablehlo::listed(lines.attributes().dims())),
                           {value}, value.dtype, lines.sizesOfResult());
}

// start + i * step
StablehloValue counted(const Lines& lines) {
  const Sizes sizes = lines.sizesOfResult();
  FormulaLines writer(lines.body(), DataType::Int64, sizes);
  const auto number = [&](IntExpr bound) {
    return lines.body().constant(ScalarValue(lines.evaluated(bound)), DataType::Int64, sizes);
  };
  const StablehloValue operands[] = {number(lines.attributes().start()), number(lines.attributes().step()),
                                     iota(lines, 0, sizes)};
  const auto numbers =
      writeFormula<StablehloValue>(parseFormula("add(a, multiply(b, c))"), std::span(operands), writer);
  return lines.cast(numbers, lines.dtype());
}

StablehloValue eye(const Lines& lines) {
  const Sizes sizes = lines.sizesOfResult();
  FormulaLines writer(lines.body(), DataType::Int64, sizes);
  const StablehloValue operands[] = {iota(lines, 0, sizes), iota(lines, 1, sizes)};
  const auto isDiagonal = writeFormula<StablehloValue>(parseFormula("eq(a, b)"), std::span(operands), writer);
  return lines.cast(isDiagonal, lines.dtype());
}

StablehloValue size(const Lines& lines) {
  const int64_t size = lines.sizesOfOperand().at(static_cast<size_t>(lines.attributes().dim()));
  return lines.body().constant(ScalarValue(size), lines.dtype(), {});
}

// Along one axis, from start to end with a step.
// Python's bounds: a negative one counts from the end, and those beyond an end are that end.
StablehloValue sliced(const Lines& lines) {
  const Attributes& written = lines.attributes();
  const StablehloValue value = lines.operand(0);
  const auto axis = static_cast<size_t>(written.dim());
  const int64_t size = value.sizes[axis];
  const auto place = [&](IntExpr bound) {
    const int64_t number = lines.evaluated(bound);
    return std::clamp<int64_t>(number < 0 ? number + size : number, 0, size);
  };
  const int64_t start = place(written.start()), end = std::max(start, place(written.end()));
  return slicedAt(lines, value, axis, start, end, lines.evaluated(written.step()));
}

StablehloValue selected(const Lines& lines) {
  const StablehloValue value = lines.operand(0);
  const auto axis = static_cast<size_t>(lines.attributes().dim());
  const int64_t index = lines.evaluated(lines.attributes().index());
  const int64_t place = index < 0 ? index + value.sizes[axis] : index;
  return reshapedTo(lines, slicedAt(lines, value, axis, place, place + 1, 1), lines.sizesOfResult());
}

// For each place of a window, those of all windows.
StablehloValue unfolded(const Lines& lines) {
  const StablehloValue value = lines.operand(0);
  Sizes sizes = lines.sizesOfResult();
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) {
    return lines.body().constant(ScalarValue(0.0), lines.dtype(), sizes);
  }
  const auto axis = static_cast<size_t>(lines.attributes().dim());
  const int64_t spacing = lines.evaluated(lines.attributes().spacing()), reach = (sizes[axis] - 1) * spacing + 1;
  const int64_t window = sizes.back();
  sizes.back() = 1;
  std::vector<StablehloValue> places;
  for (int64_t place = 0; place < window; ++place) {
    places.push_back(reshapedTo(lines, slicedAt(lines, value, axis, place, place + reach, spacing), sizes));
  }
  return joinedAlong(lines, places, sizes.size() - 1);
}

// Padded to the whole size, beside a mask of its places that is padded in the same way.
StablehloValue written(const Lines& lines) {
  const Attributes& attributes = lines.attributes();
  const StablehloValue whole = lines.operand(0), source = lines.operand(1);
  const auto axis = static_cast<size_t>(attributes.dim());
  const int64_t size = whole.sizes[axis], count = source.sizes[axis], step = lines.evaluated(attributes.step());
  if (count == 0) return whole;
  const int64_t bound = lines.evaluated(attributes.start());
  const int64_t start = std::clamp<int64_t>(bound < 0 ? bound + size : bound, 0, size);
  Sizes low(whole.sizes.size(), 0), high = low, between = low;
  low[axis] = start;
  high[axis] = size - start - ((count - 1) * step + 1);
  between[axis] = step - 1;
  const auto widened = [&](const StablehloValue& value, const ScalarValue& filler) {
    const StablehloValue around = lines.body().constant(filler, value.dtype, {});
    return lines.body().line(concat("pad %", value.name, ", %", around.name, ", low = ", stablehlo::listed(low),
                                    ", high = ", stablehlo::listed(high), ", interior = ", stablehlo::listed(between)),
                             {value, around}, value.dtype, whole.sizes);
  };
  const StablehloValue mask =
      widened(lines.body().constant(ScalarValue(true), DataType::Bool, source.sizes), ScalarValue(false));
  const StablehloValue values = widened(source, ScalarValue(0.0));
  return lines.body().line(concat("select %", mask.name, ", %", values.name, ", %", whole.name), {mask, values, whole},
                           whole.dtype, whole.sizes);
}

StablehloValue reversed(const Lines& lines) {
  const StablehloValue value = lines.operand(0);
  return lines.body().elementwise(
      concat("reverse %", value.name, ", dims = ", stablehlo::listed(lines.attributes().dims())), {value}, value.dtype);
}

// A negative bound cuts off.
StablehloValue padded(const Lines& lines) {
  const Sizes bounds = lines.evaluatedAll(lines.attributes().pad());
  const StablehloValue value = lines.operand(0);
  const size_t rank = value.sizes.size();
  Sizes low(rank, 0), high(rank, 0), between(rank, 0);
  for (size_t i = 0; i < bounds.size() / 2; ++i) {
    low[rank - 1 - i] = bounds[2 * i];
    high[rank - 1 - i] = bounds[2 * i + 1];
  }
  const StablehloValue filler = lines.cast(lines.operand(1, lines.dtype()), lines.dtype());
  return lines.body().line(concat("pad %", value.name, ", %", filler.name, ", low = ", stablehlo::listed(low),
                                  ", high = ", stablehlo::listed(high), ", interior = ", stablehlo::listed(between)),
                           {value, filler}, value.dtype, lines.sizesOfResult());
}

StablehloValue concatenated(const Lines& lines) {
  std::vector<StablehloValue> parts;
  for (size_t i = 0; i < lines.expr()->inputs().size(); ++i) parts.push_back(lines.operand(i));
  return joinedAlong(lines, parts, static_cast<size_t>(lines.attributes().dim()));
}

// Each axis becomes two, the copies and the axis.
StablehloValue repeated(const Lines& lines) {
  const Sizes repeats = lines.evaluatedAll(lines.attributes().repeats());
  const StablehloValue value = lines.operand(0);
  Sizes doubled, axes;
  for (size_t i = 0; i < repeats.size(); ++i) {
    doubled.push_back(repeats[i]);
    const size_t leading = repeats.size() - value.sizes.size();
    if (i < leading) continue;
    axes.push_back(static_cast<int64_t>(doubled.size()));
    doubled.push_back(value.sizes[i - leading]);
  }
  if (doubled == value.sizes) return value;
  const StablehloValue copies = lines.body().line(
      concat("broadcast_in_dim %", value.name, ", dims = ", stablehlo::listed(axes)), {value}, value.dtype, doubled);
  return reshapedTo(lines, copies, lines.sizesOfResult());
}

// --- rows that are functions: reductions ---

// Reduces a value along the op's axes, from an initial value.
StablehloValue reduced(const Lines& lines, std::string_view op, const StablehloValue& value, const ScalarValue& first) {
  const StablehloValue init = lines.body().constant(first, value.dtype, {});
  Sizes sizes;
  const Sizes& dims = lines.attributes().dims();
  for (size_t i = 0; i < value.sizes.size(); ++i) {
    if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(i)) == dims.end()) sizes.push_back(value.sizes[i]);
  }
  return lines.body().line(concat("reduce(%", value.name, " init: %", init.name, ") applies stablehlo.", op,
                                  " across dimensions = ", stablehlo::listed(dims)),
                           {value, init}, value.dtype, sizes);
}

// In the dtype that accumulates: f32 for 16 bits, i64 for integers.
StablehloValue inAccumulator(const Lines& lines) { return lines.cast(lines.operand(0), computeType(lines.dtype())); }

StablehloValue sum(const Lines& lines) { return reduced(lines, "add", inAccumulator(lines), ScalarValue(0.0)); }
StablehloValue product(const Lines& lines) {
  return reduced(lines, "multiply", inAccumulator(lines), ScalarValue(1.0));
}

StablehloValue largest(const Lines& lines) {
  return reduced(lines, "maximum", lines.cast(lines.operand(0), lines.dtype()), stablehlo::lowest(lines.dtype(), 1));
}
StablehloValue smallest(const Lines& lines) {
  return reduced(lines, "minimum", lines.cast(lines.operand(0), lines.dtype()), stablehlo::lowest(lines.dtype(), -1));
}

// By doubling: each place joins what stands 1, 2, 4, … places before it.
StablehloValue scanned(const Lines& lines, std::string_view op) {
  const auto axis = static_cast<size_t>(lines.attributes().dim());
  StablehloValue value = lines.cast(lines.operand(0), computeType(lines.dtype()));
  const int64_t size = value.sizes[axis];
  for (int64_t step = 1; step < size; step *= 2) {
    const StablehloValue first = slicedAt(lines, value, axis, 0, step, 1);
    const StablehloValue before = slicedAt(lines, value, axis, 0, size - step, 1);
    const StablehloValue behind = slicedAt(lines, value, axis, step, size, 1);
    const StablehloValue joined =
        lines.body().elementwise(concat(op, " %", before.name, ", %", behind.name), {before, behind}, value.dtype);
    value = joinedAlong(lines, {first, joined}, axis);
  }
  return value;
}

StablehloValue sumsSoFar(const Lines& lines) { return scanned(lines, "add"); }
StablehloValue productsSoFar(const Lines& lines) { return scanned(lines, "multiply"); }
StablehloValue largestSoFar(const Lines& lines) { return scanned(lines, "maximum"); }
StablehloValue smallestSoFar(const Lines& lines) { return scanned(lines, "minimum"); }

StablehloValue divided(const Lines& lines, const StablehloValue& value, int64_t divisor) {
  const StablehloValue number =
      lines.body().constant(ScalarValue(static_cast<double>(divisor)), value.dtype, value.sizes);
  return lines.body().elementwise(concat("divide %", value.name, ", %", number.name), {value, number}, value.dtype);
}

StablehloValue mean(const Lines& lines) { return divided(lines, sum(lines), lines.terms()); }

// By its definition: the squared distances from the mean, and their sum divided.
StablehloValue variance(const Lines& lines) {
  if (lines.which == 1) return mean(lines);
  const StablehloValue value = inAccumulator(lines), middle = mean(lines);
  Sizes axes;
  const Sizes& dims = lines.attributes().dims();
  for (size_t i = 0; i < value.sizes.size(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (std::find(dims.begin(), dims.end(), axis) == dims.end()) axes.push_back(axis);
  }
  const StablehloValue means =
      lines.body().line(concat("broadcast_in_dim %", middle.name, ", dims = ", stablehlo::listed(axes)), {middle},
                        value.dtype, value.sizes);
  FormulaLines writer(lines.body(), value.dtype, value.sizes);
  const StablehloValue operands[] = {value, means};
  const auto squares = writeFormula<StablehloValue>(parseFormula("multiply(subtract(a, b), subtract(a, b))"),
                                                    std::span(operands), writer);
  const int64_t left = std::max<int64_t>(lines.terms() - lines.attributes().correction(), 0);
  const int64_t divisor = lines.terms() == 0 ? 0 : left;  // of nothing it is NaN
  return divided(lines, reduced(lines, "add", squares, ScalarValue(0.0)), divisor);
}

// --- rows that are functions: loops ---

// Euclid's: while any q is not 0, (p, q) becomes (q, p % q) where q is not 0. No value of a fusion has a point in its
// name.
constexpr std::string_view kEuclid = R"(stablehlo.while(%at.p = %{a}, %at.q = %{b}) : {type}, {type}
     cond {
      %at.left = stablehlo.compare NE, %at.q, %{zero}, SIGNED : ({type}, {type}) -> {bools}
      %at.none = stablehlo.constant dense<false> : tensor<i1>
      %at.any = stablehlo.reduce(%at.left init: %at.none) applies stablehlo.or across dimensions = {axes}
        : ({bools}, tensor<i1>) -> tensor<i1>
      stablehlo.return %at.any : tensor<i1>
    } do {
      %at.done = stablehlo.compare EQ, %at.q, %{zero}, SIGNED : ({type}, {type}) -> {bools}
      %at.divisor = stablehlo.select %at.done, %{one}, %at.q : {bools}, {type}
      %at.rest = stablehlo.remainder %at.p, %at.divisor : {type}
      %at.next_p = stablehlo.select %at.done, %at.p, %at.q : {bools}, {type}
      %at.next_q = stablehlo.select %at.done, %at.q, %at.rest : {bools}, {type}
      stablehlo.return %at.next_p, %at.next_q : {type}, {type}
    })";

StablehloValue divisorOf(const Lines& lines, const StablehloValue& a, const StablehloValue& b) {
  const StablehloValue zero = lines.body().constant(ScalarValue(int64_t{0}), a.dtype, a.sizes);
  const StablehloValue one = lines.body().constant(ScalarValue(int64_t{1}), a.dtype, a.sizes);
  Sizes axes;
  for (size_t i = 0; i < a.sizes.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  const std::string loop = stablehlo::filled(kEuclid, {{"a", a.name},
                                                       {"b", b.name},
                                                       {"zero", zero.name},
                                                       {"one", one.name},
                                                       {"type", stablehloType(a)},
                                                       {"bools", stablehloType(DataType::Bool, a.sizes)},
                                                       {"axes", stablehlo::listed(axes)}});
  return lines.body().lines(loop, 2, a.dtype, a.sizes);
}

struct DividedPair {
  std::vector<StablehloValue> operands;  // a, b, their greatest common divisor
  FormulaLines writer;
};
DividedPair dividedPair(const Lines& lines) {
  const DataType dtype = lines.dtype();
  const Sizes sizes = lines.sizesOfResult();
  const auto operand = [&](size_t i) {
    return lines.body().broadcast(lines.cast(lines.operand(i, dtype, sizes), dtype), sizes);
  };
  DividedPair pair{{operand(0), operand(1)}, FormulaLines(lines.body(), dtype, sizes)};
  std::vector<StablehloValue> magnitudes;
  for (const StablehloValue& value : pair.operands) {
    magnitudes.push_back(
        writeFormula<StablehloValue>(parseFormula("abs(a)"), std::span<const StablehloValue>(&value, 1), pair.writer));
  }
  pair.operands.push_back(divisorOf(lines, magnitudes[0], magnitudes[1]));
  return pair;
}

StablehloValue formulaOf(const DividedPair& pair, std::string_view text) {
  return writeFormula<StablehloValue>(parseFormula(text), std::span(pair.operands), pair.writer);
}

StablehloValue greatest_divisor(const Lines& lines) { return formulaOf(dividedPair(lines), "c"); }
// As in the language, 8 and 16 bits have their magnitude before the product wraps, others after.
StablehloValue least_multiple(const Lines& lines) {
  const bool isNarrow = dtypeSize(lines.dtype()) < 4;
  return formulaOf(dividedPair(lines), isNarrow ? "multiply(abs(divide(a, select(eq(c, 0), 1, c))), abs(b))"
                                                : "abs(multiply(divide(a, select(eq(c, 0), 1, c)), b))");
}

// --- the table ---

struct StablehloRow {
  std::string_view floats, integers, bools;         // of FORMULA
  bool selects = false;                             // of SELECTION
  StablehloValue (*write)(const Lines&) = nullptr;  // of WRITTEN
  std::string_view refusal;                         // of REFUSED
};

// Without default: an op without a row does not compile.
StablehloRow stablehloRow(OpKind op) {
  switch (op) {
#define ROW(op, ...) \
  case OpKind::op:   \
    return {__VA_ARGS__};
#define FORMULA(op, floats, integers, bools) ROW(op, floats, integers, bools, false, nullptr, {})
#define SELECTION(op, formula) ROW(op, formula, formula, formula, true, nullptr, {})
#define WRITTEN(op, function) ROW(op, {}, {}, {}, false, function, {})
#define REFUSED(op, why) ROW(op, {}, {}, {}, false, nullptr, why)
#define HELPER(name, formula)
#include "fuzz/export/stablehlo.def"
#undef ROW
#undef HELPER
#undef FORMULA
#undef SELECTION
#undef WRITTEN
#undef REFUSED
  }
  FUSER_CHECK(false, "bad OpKind");
}

std::string_view formulaFor(const StablehloRow& row, DataType common) {
  switch (category(common)) {
    case Category::Float: return row.floats;
    case Category::Int: return row.integers;
    case Category::Bool: return row.bools;
  }
  FUSER_CHECK(false, "bad Category");
}

}  // namespace

void addStablehloLines(StablehloBody& body, const Expr* expr, ExpressionEvaluator& sizes,
                       const StablehloValueOf& valueOf, const std::function<std::string(const Val*)>& typeOf) {
  const StablehloRow row = stablehloRow(expr->op());
  Lines lines(body, expr, sizes, valueOf);
  for (const Val* output : expr->outputs()) {
    const std::string name = valueOf(output).name;
    body.begin(name);
    const StablehloValue value =
        row.write ? row.write(lines) : formulaOf(lines, formulaFor(row, commonType(expr)), row.selects);
    body.end(body.cast(value, output->dtype()), name, typeOf(output));
    ++lines.which;
  }
}

std::optional<std::string_view> whyNotInStablehlo(const Expr* expr) {
  const StablehloRow row = stablehloRow(expr->op());
  if (expr->op() == OpKind::Bitcast && dtypeSize(expr->input(0)->dtype()) != dtypeSize(expr->output()->dtype())) {
    return "bitcast_convert keeps the number of bits, and the language has no integers of 16";
  }
  if (row.write) return std::nullopt;
  if (!row.refusal.empty()) return row.refusal;
  FUSER_CHECK(!formulaFor(row, commonType(expr)).empty(), "stablehlo.def: ", expr->info().name, " has no formula of ",
              commonType(expr));
  return std::nullopt;
}

}  // namespace fuser::fuzz
