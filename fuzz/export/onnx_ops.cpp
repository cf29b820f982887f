// The rows of onnx.def, filled in.

#include "fuzz/export/onnx_ops.h"

#include <algorithm>
#include <cctype>

#include "fuzz/export/expr_in_run.h"
#include "fuzz/export/formula.h"

namespace fuser::fuzz {
namespace {

// --- an expression that is being written ---

class Nodes : public ExprInRun {
 public:
  Nodes(OnnxGraph& graph, const Expr* expr, ExpressionEvaluator& sizes, const OnnxValueOf& valueOf)
      : ExprInRun(expr, sizes), graph_(graph), valueOf_(valueOf) {}

  OnnxValue node(const std::string& op, const std::string& written, const std::vector<OnnxValue>& operands) const {
    return graph_.node(op, written, operands, operands.at(0).dtype);
  }
  OnnxValue cast(const OnnxValue& value, DataType dtype) const { return graph_.cast(value, dtype); }
  // The text form has no numbers of 16 bits.
  OnnxValue constant(const ScalarValue& value, DataType dtype) const {
    const bool narrow = dtype == DataType::Half || dtype == DataType::BFloat16;
    return cast(graph_.constant(value, narrow ? DataType::Float : dtype), dtype);
  }
  OnnxValue integers(const std::vector<int64_t>& numbers) const { return graph_.integers(numbers); }
  OnnxGraph& graph() const { return graph_; }

  // An operand, in its own dtype. A literal has `dtype`.
  OnnxValue operand(size_t i, DataType literals) const {
    if (const ScalarValue* number = literal(i)) return cast(constant(*number, computeType(literals)), literals);
    return valueOf_(expr()->input(i));
  }
  OnnxValue operand(size_t i) const { return operand(i, expr()->input(i)->dtype()); }

 private:
  OnnxGraph& graph_;
  const OnnxValueOf& valueOf_;
};

// --- formulas ---

// 16 bits in f32, as the language; in i32 those integers that some operators do not take.
DataType computedIn(DataType dtype) {
  return dtype == DataType::Int16 || dtype == DataType::UInt8 ? DataType::Int32 : computeType(dtype);
}

constexpr NamedFormula kOnnxHelpers[] = {
#define HELPER(name, formula) {#name, formula},
#define FORMULA(...)
#define SELECTION(...)
#define WRITTEN(...)
#define REFUSED(...)
#include "fuzz/export/onnx.def"
#undef HELPER
#undef FORMULA
#undef SELECTION
#undef WRITTEN
#undef REFUSED
};

// Operators whose result is bool, whatever their operands are.
bool givesBool(std::string_view op) {
  constexpr std::string_view kOps[] = {
      "And", "Or", "Xor", "Not", "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "IsNaN", "IsInf"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

// Writes formulas that compute in a dtype. In attributes, $T is that dtype, and $W the same with 32 bits at least.
class FormulaNodes {
 public:
  FormulaNodes(OnnxGraph& graph, DataType dtype) : graph_(graph), dtype_(dtype) {}

  OnnxValue number(double number) const { return graph_.constant(ScalarValue(number), dtype_); }
  OnnxValue word(std::string_view name) const { FUSER_CHECK(false, "onnx.def: there is no operand '", name, "'"); }
  OnnxValue call(std::string_view name, std::string_view attributes, const std::vector<OnnxValue>& operands) const {
    FUSER_CHECK(std::isupper(static_cast<unsigned char>(name.front())), "onnx.def: there is no helper '", name, "'");
    if (name == "Cast") return graph_.cast(operands.at(0), castTo(attributes));
    return graph_.node(std::string(name), std::string(attributes), operands, resultOf(name, operands));
  }
  static std::span<const NamedFormula> helpers() { return kOnnxHelpers; }

 private:
  DataType castTo(std::string_view attributes) const {
    if (attributes == "to = $T") return dtype_;
    if (attributes == "to = $W") return !isFloating(dtype_) && dtypeSize(dtype_) < 4 ? DataType::Int32 : dtype_;
    FUSER_CHECK(attributes == "to = bool", "onnx.def: a cast has 'to = $T', 'to = $W' or 'to = bool'");
    return DataType::Bool;
  }

  static DataType resultOf(std::string_view op, const std::vector<OnnxValue>& operands) {
    if (givesBool(op)) return DataType::Bool;
    return operands.at(op == "Where" ? 1 : 0).dtype;
  }

  OnnxGraph& graph_;
  DataType dtype_;
};

OnnxValue formulaOf(const Nodes& nodes, std::string_view text, bool selects) {
  const Expr* expr = nodes.expr();
  const DataType common = commonType(expr), computed = selects && isFloating(common) ? common : computedIn(common);
  std::vector<OnnxValue> operands;
  for (size_t i = 0; i < expr->inputs().size(); ++i) {
    const DataType dtype = operandType(expr, i, common);
    const OnnxValue operand = nodes.cast(nodes.operand(i, dtype), dtype);
    operands.push_back(takesCondition(expr->op(), i) ? operand : nodes.cast(operand, computed));
  }
  FormulaNodes writer(nodes.graph(), computed);
  return writeFormula<OnnxValue>(parseFormula(text), operands, writer);
}

// --- rows that are functions: casts and views ---

OnnxValue converted(const Nodes& nodes) { return nodes.cast(nodes.operand(0), nodes.dtype()); }

OnnxValue withAxes(const Nodes& nodes, const std::string& op) {
  const std::vector<int64_t>& dims = nodes.attributes().dims();
  if (dims.empty()) return nodes.operand(0);
  return nodes.node(op, "", {nodes.operand(0), nodes.integers(dims)});
}

OnnxValue unsqueezed(const Nodes& nodes) { return withAxes(nodes, "Unsqueeze"); }
OnnxValue squeezed(const Nodes& nodes) { return withAxes(nodes, "Squeeze"); }

OnnxValue expanded(const Nodes& nodes) {
  return nodes.node("Expand", "", {nodes.operand(0), nodes.integers(nodes.sizesOfResult())});
}

OnnxValue permuted(const Nodes& nodes) {
  std::string perm;
  for (int64_t dim : nodes.attributes().dims()) perm += concat(perm.empty() ? "" : ", ", dim);
  if (perm.empty()) return nodes.operand(0);
  return nodes.node("Transpose", concat("perm = [", perm, "]"), {nodes.operand(0)});
}

OnnxValue filled(const Nodes& nodes) {
  const OnnxValue value = nodes.cast(nodes.operand(0, nodes.dtype()), nodes.dtype());
  return nodes.node("Expand", "", {value, nodes.integers(nodes.sizesOfResult())});
}

OnnxValue ranged(const Nodes& nodes) {
  std::vector<OnnxValue> bounds;
  for (IntExpr bound : {nodes.attributes().start(), nodes.attributes().end(), nodes.attributes().step()}) {
    bounds.push_back(nodes.constant(ScalarValue(nodes.evaluated(bound)), DataType::Int64));
  }
  return nodes.cast(nodes.node("Range", "", bounds), nodes.dtype());
}

OnnxValue eye(const Nodes& nodes) {
  const OnnxValue zero = nodes.constant(ScalarValue(0.0), DataType::Float);
  const OnnxValue zeros = nodes.node("Expand", "", {zero, nodes.integers(nodes.sizesOfResult())});
  return nodes.cast(nodes.node("EyeLike", "", {zeros}), nodes.dtype());
}

OnnxValue size(const Nodes& nodes) {
  const int64_t dim = nodes.attributes().dim();
  OnnxValue shape = nodes.node("Shape", concat("start = ", dim, ", end = ", dim + 1), {nodes.operand(0)});
  shape.dtype = DataType::Int64;
  return nodes.node("Squeeze", "", {shape, nodes.integers({0})});
}

OnnxValue slicedAt(const Nodes& nodes, const OnnxValue& value, const std::vector<int64_t>& starts,
                   const std::vector<int64_t>& ends, const std::vector<int64_t>& axes,
                   const std::vector<int64_t>& steps) {
  return nodes.node("Slice", "",
                    {value, nodes.integers(starts), nodes.integers(ends), nodes.integers(axes), nodes.integers(steps)});
}

OnnxValue sliced(const Nodes& nodes) {
  const Attributes& written = nodes.attributes();
  return slicedAt(nodes, nodes.operand(0), {nodes.evaluated(written.start())}, {nodes.evaluated(written.end())},
                  {written.dim()}, {nodes.evaluated(written.step())});
}

OnnxValue selected(const Nodes& nodes) {
  const int64_t dim = nodes.attributes().dim(), index = nodes.evaluated(nodes.attributes().index());
  const int64_t end = index == -1 ? INT64_MAX : index + 1;
  const OnnxValue one = slicedAt(nodes, nodes.operand(0), {index}, {end}, {dim}, {1});
  return nodes.node("Squeeze", "", {one, nodes.integers({dim})});
}

// What stands before the slice, what is written, and what stands behind it; with a step each element goes to its index.
OnnxValue written(const Nodes& nodes) {
  const Attributes& attributes = nodes.attributes();
  const std::vector<int64_t> sizes = nodes.sizesOfOperand(), slice = nodes.sizesOfOperand(1);
  const int64_t dim = attributes.dim(), size = sizes[static_cast<size_t>(dim)];
  const int64_t count = slice[static_cast<size_t>(dim)], step = nodes.evaluated(attributes.step());
  const int64_t bound = nodes.evaluated(attributes.start());
  const int64_t start = std::clamp<int64_t>(bound < 0 ? bound + size : bound, 0, size);
  const OnnxValue whole = nodes.operand(0), source = nodes.operand(1);
  if (step == 1) {
    const auto part = [&](int64_t from, int64_t to) { return slicedAt(nodes, whole, {from}, {to}, {dim}, {1}); };
    return nodes.node("Concat", concat("axis = ", dim), {part(0, start), source, part(start + count, size)});
  }
  if (count == 0) return whole;
  std::vector<int64_t> places, added;
  for (int64_t i = 0; i < count; ++i) places.push_back(start + i * step);
  for (int64_t axis = 0; axis < static_cast<int64_t>(sizes.size()); ++axis) {
    if (axis != dim) added.push_back(axis);
  }
  OnnxValue indices = nodes.integers(places);
  if (!added.empty()) {
    indices = nodes.node("Unsqueeze", "", {indices, nodes.integers(added)});
    indices = nodes.node("Expand", "", {indices, nodes.integers(slice)});
  }
  return nodes.node("ScatterElements", concat("axis = ", dim), {whole, indices, source});
}

bool hasNone(const std::vector<int64_t>& sizes) { return std::find(sizes.begin(), sizes.end(), 0) != sizes.end(); }

// Along other axes there are as many elements as indices: runtimes compare them.
OnnxValue gathered(const Nodes& nodes) {
  const std::vector<int64_t> given = nodes.sizesOfOperand(0), asked = nodes.sizesOfOperand(1);
  if (hasNone(asked)) {
    const OnnxValue zero = nodes.constant(ScalarValue(0.0), nodes.dtype());
    return nodes.node("Expand", "", {zero, nodes.integers(nodes.sizesOfResult())});
  }
  const int64_t dim = nodes.attributes().dim();
  std::vector<int64_t> axes, ends;
  for (size_t axis = 0; axis < asked.size(); ++axis) {
    if (static_cast<int64_t>(axis) == dim || asked[axis] == given[axis]) continue;
    axes.push_back(static_cast<int64_t>(axis));
    ends.push_back(asked[axis]);
  }
  OnnxValue data = nodes.operand(0);
  const std::vector<int64_t> zeros(axes.size(), 0), ones(axes.size(), 1);
  if (!axes.empty()) data = slicedAt(nodes, data, zeros, ends, axes, ones);
  return nodes.node("GatherElements", concat("axis = ", dim), {data, nodes.operand(1)});
}

// Elements that have no index are cut off. Sums of 16 bits are those of f32, which runtimes have.
OnnxValue scattered(const Nodes& nodes) {
  const std::vector<int64_t> asked = nodes.sizesOfOperand(1), given = nodes.sizesOfOperand(2);
  if (hasNone(asked)) return nodes.operand(0);
  const bool adds = nodes.expr()->op() == OpKind::ScatterAdd;
  const DataType dtype = nodes.dtype(), computed = adds ? computeType(dtype) : dtype;
  OnnxValue source = nodes.operand(2);
  if (asked != given) {
    std::vector<int64_t> axes;
    for (size_t axis = 0; axis < asked.size(); ++axis) axes.push_back(static_cast<int64_t>(axis));
    const std::vector<int64_t> zeros(asked.size(), 0), ones(asked.size(), 1);
    source = slicedAt(nodes, source, zeros, asked, axes, ones);
  }
  const OnnxValue result =
      nodes.node("ScatterElements", concat("axis = ", nodes.attributes().dim(), adds ? ", reduction = \"add\"" : ""),
                 {nodes.cast(nodes.operand(0), computed), nodes.operand(1), nodes.cast(source, computed)});
  return nodes.cast(result, dtype);
}

// For each place of a window, those of all windows.
OnnxValue unfolded(const Nodes& nodes) {
  if (hasNone(nodes.sizesOfResult())) {
    const OnnxValue zero = nodes.constant(ScalarValue(0.0), nodes.dtype());
    return nodes.node("Expand", "", {zero, nodes.integers(nodes.sizesOfResult())});
  }
  const int64_t dim = nodes.attributes().dim(), spacing = nodes.evaluated(nodes.attributes().spacing());
  const std::vector<int64_t> sizes = nodes.sizesOfResult();
  const int64_t reach = (sizes[static_cast<size_t>(dim)] - 1) * spacing + 1;
  const auto last = static_cast<int64_t>(sizes.size()) - 1;
  std::vector<OnnxValue> places;
  for (int64_t place = 0; place < sizes.back(); ++place) {
    const OnnxValue row = slicedAt(nodes, nodes.operand(0), {place}, {place + reach}, {dim}, {spacing});
    places.push_back(nodes.node("Unsqueeze", "", {row, nodes.integers({last})}));
  }
  return nodes.node("Concat", concat("axis = ", last), places);
}

// A negative step starts at the last element, and ends before the first.
OnnxValue flipped(const Nodes& nodes) {
  const std::vector<int64_t>& dims = nodes.attributes().dims();
  if (dims.empty()) return nodes.operand(0);
  const std::vector<int64_t> last(dims.size(), -1), before(dims.size(), INT64_MIN + 1), back(dims.size(), -1);
  return slicedAt(nodes, nodes.operand(0), last, before, dims, back);
}

// What a negative number cuts off, then what a positive one adds.
OnnxValue padded(const Nodes& nodes) {
  const std::vector<int64_t> bounds = nodes.evaluatedAll(nodes.attributes().pad());
  const std::vector<int64_t> sizes = nodes.sizesOfOperand();
  const size_t rank = sizes.size();
  std::vector<int64_t> starts, ends, axes, pads(2 * rank, 0);
  for (size_t i = 0; i < bounds.size() / 2; ++i) {
    const size_t axis = rank - 1 - i;
    const int64_t before = bounds[2 * i], after = bounds[2 * i + 1];
    pads[axis] = std::max<int64_t>(before, 0);
    pads[rank + axis] = std::max<int64_t>(after, 0);
    if (before >= 0 && after >= 0) continue;
    starts.push_back(std::max<int64_t>(-before, 0));
    ends.push_back(std::max(sizes[axis] + std::min<int64_t>(after, 0), starts.back()));
    axes.push_back(static_cast<int64_t>(axis));
  }
  OnnxValue value = nodes.operand(0);
  if (!axes.empty()) value = slicedAt(nodes, value, starts, ends, axes, std::vector<int64_t>(axes.size(), 1));
  const OnnxValue filler = nodes.cast(nodes.operand(1, nodes.dtype()), nodes.dtype());
  return nodes.node("Pad", "", {value, nodes.integers(pads), filler});
}

OnnxValue concatenated(const Nodes& nodes) {
  std::vector<OnnxValue> operands;
  for (size_t i = 0; i < nodes.expr()->inputs().size(); ++i) operands.push_back(nodes.operand(i));
  return nodes.node("Concat", concat("axis = ", nodes.attributes().dim()), operands);
}

// A 0 in the shape is a size.
OnnxValue reshaped(const Nodes& nodes) {
  return nodes.node("Reshape", "allowzero = 1", {nodes.operand(0), nodes.integers(nodes.sizesOfResult())});
}

OnnxValue repeated(const Nodes& nodes) {
  const std::vector<int64_t> repeats = nodes.evaluatedAll(nodes.attributes().repeats());
  const std::vector<int64_t> sizes = nodes.sizesOfOperand();
  OnnxValue value = nodes.operand(0);
  if (repeats.size() > sizes.size()) {
    std::vector<int64_t> leading;
    for (size_t i = 0; i < repeats.size() - sizes.size(); ++i) leading.push_back(static_cast<int64_t>(i));
    value = nodes.node("Unsqueeze", "", {value, nodes.integers(leading)});
  }
  return repeats.empty() ? value : nodes.node("Tile", "", {value, nodes.integers(repeats)});
}

// --- rows that are functions: reductions ---

// Reduces a value along the op's axes.
OnnxValue reduced(const Nodes& nodes, const std::string& op, const OnnxValue& value, bool keepsAxes = false) {
  const std::vector<int64_t>& dims = nodes.attributes().dims();
  if (dims.empty()) return value;
  return nodes.node(op, concat("keepdims = ", keepsAxes ? 1 : 0), {value, nodes.integers(dims)});
}

// In the dtype that accumulates: f32 for 16 bits, i64 for integers.
OnnxValue reducedInAccumulator(const Nodes& nodes, const std::string& op) {
  const DataType accumulator = computedIn(nodes.dtype());
  return reduced(nodes, op, nodes.cast(nodes.operand(0), accumulator));
}

OnnxValue sum(const Nodes& nodes) { return reducedInAccumulator(nodes, "ReduceSum"); }
OnnxValue product(const Nodes& nodes) { return reducedInAccumulator(nodes, "ReduceProd"); }
OnnxValue largest(const Nodes& nodes) { return reducedInAccumulator(nodes, "ReduceMax"); }
OnnxValue smallest(const Nodes& nodes) { return reducedInAccumulator(nodes, "ReduceMin"); }
OnnxValue any(const Nodes& nodes) { return reducedInAccumulator(nodes, "ReduceMax"); }
OnnxValue all(const Nodes& nodes) { return reducedInAccumulator(nodes, "ReduceMin"); }

// By doubling: each place joins what stands 1, 2, 4, … places before it.
OnnxValue scanned(const Nodes& nodes, const std::string& op) {
  const int64_t dim = nodes.attributes().dim(), size = nodes.sizesOfOperand()[static_cast<size_t>(dim)];
  const DataType dtype = nodes.dtype();
  OnnxValue value = nodes.cast(nodes.operand(0), dtype == DataType::Bool ? DataType::Int32 : computedIn(dtype));
  for (int64_t step = 1; step < size; step *= 2) {
    const OnnxValue first = slicedAt(nodes, value, {0}, {step}, {dim}, {1});
    const OnnxValue before = slicedAt(nodes, value, {0}, {size - step}, {dim}, {1});
    const OnnxValue behind = slicedAt(nodes, value, {step}, {size}, {dim}, {1});
    value = nodes.node("Concat", concat("axis = ", dim), {first, nodes.node(op, "", {before, behind})});
  }
  return value;
}

OnnxValue sumsSoFar(const Nodes& nodes) { return scanned(nodes, "Add"); }
OnnxValue productsSoFar(const Nodes& nodes) { return scanned(nodes, "Mul"); }
OnnxValue largestSoFar(const Nodes& nodes) { return scanned(nodes, "Max"); }
OnnxValue smallestSoFar(const Nodes& nodes) { return scanned(nodes, "Min"); }

// Over all axes, that among all elements, as one row.
OnnxValue extremeIndex(const Nodes& nodes) {
  const std::vector<int64_t>& dims = nodes.attributes().dims();
  const DataType dtype = nodes.expr()->input(0)->dtype();
  OnnxValue value = nodes.cast(nodes.operand(0), dtype == DataType::Bool ? DataType::Int32 : computedIn(dtype));
  const bool isAll = dims.size() == nodes.sizesOfOperand().size();
  if (isAll) value = nodes.node("Reshape", "", {value, nodes.integers({-1})});
  const std::string name = nodes.expr()->op() == OpKind::Argmax ? "ArgMax" : "ArgMin";
  OnnxValue index = nodes.node(name, concat("axis = ", isAll ? 0 : dims[0], ", keepdims = 0"), {value});
  index.dtype = DataType::Int64;
  return index;
}

// Of nothing ReduceMean is undefined, and ours is 0 / 0.
OnnxValue meanOf(const Nodes& nodes, const OnnxValue& value, bool keepsAxes) {
  if (nodes.terms() > 0) return reduced(nodes, "ReduceMean", value, keepsAxes);
  const OnnxValue total = reduced(nodes, "ReduceSum", value, keepsAxes);
  return nodes.node("Div", "", {total, nodes.constant(ScalarValue(0.0), value.dtype)});
}

OnnxValue inAccumulator(const Nodes& nodes) { return nodes.cast(nodes.operand(0), computeType(nodes.dtype())); }

OnnxValue mean(const Nodes& nodes) { return meanOf(nodes, inAccumulator(nodes), false); }

// By its definition: the squared distances from the mean, and their sum divided.
OnnxValue variance(const Nodes& nodes) {
  const OnnxValue value = inAccumulator(nodes);
  if (nodes.which == 1) return meanOf(nodes, value, false);
  const OnnxValue distance = nodes.node("Sub", "", {value, meanOf(nodes, value, true)});
  const OnnxValue squares = reduced(nodes, "ReduceSum", nodes.node("Mul", "", {distance, distance}));
  const int64_t left = std::max<int64_t>(nodes.terms() - nodes.attributes().correction(), 0);
  const int64_t divisor = nodes.terms() == 0 ? 0 : left;  // of nothing it is NaN
  return nodes.node("Div", "", {squares, nodes.constant(ScalarValue(static_cast<double>(divisor)), value.dtype)});
}

// --- the table ---

struct OnnxRow {
  std::string_view floats, integers, bools;    // of FORMULA
  bool selects = false;                        // of SELECTION
  OnnxValue (*write)(const Nodes&) = nullptr;  // of WRITTEN
  std::string_view refusal;                    // of REFUSED
};

// Without default: an op without a row does not compile.
OnnxRow onnxRow(OpKind op) {
  switch (op) {
#define ROW(op, ...) \
  case OpKind::op:   \
    return {__VA_ARGS__};
#define FORMULA(op, floats, integers, bools) ROW(op, floats, integers, bools, false, nullptr, {})
#define SELECTION(op, formula) ROW(op, formula, formula, formula, true, nullptr, {})
#define WRITTEN(op, function) ROW(op, {}, {}, {}, false, function, {})
#define REFUSED(op, why) ROW(op, {}, {}, {}, false, nullptr, why)
#define HELPER(name, formula)
#include "fuzz/export/onnx.def"
#undef ROW
#undef HELPER
#undef FORMULA
#undef SELECTION
#undef WRITTEN
#undef REFUSED
  }
  FUSER_CHECK(false, "bad OpKind");
}

std::string_view formulaFor(const OnnxRow& row, DataType common) {
  switch (category(common)) {
    case Category::Float: return row.floats;
    case Category::Int: return row.integers;
    case Category::Bool: return row.bools;
  }
  FUSER_CHECK(false, "bad Category");
}

}  // namespace

void addOnnxNodes(OnnxGraph& graph, const Expr* expr, ExpressionEvaluator& sizes, const OnnxValueOf& valueOf,
                  const std::function<std::string(const Val*)>& typeOf) {
  const OnnxRow row = onnxRow(expr->op());
  Nodes nodes(graph, expr, sizes, valueOf);
  for (const Val* output : expr->outputs()) {
    const std::string name = valueOf(output).name;
    graph.begin(name);
    const OnnxValue value =
        row.write ? row.write(nodes) : formulaOf(nodes, formulaFor(row, commonType(expr)), row.selects);
    graph.end(graph.cast(value, output->dtype()), name, typeOf(output));
    ++nodes.which;
  }
}

std::optional<std::string_view> whyNotInOnnx(const Expr* expr) {
  const OnnxRow row = onnxRow(expr->op());
  if (row.write) return std::nullopt;
  if (!row.refusal.empty()) return row.refusal;
  FUSER_CHECK(!formulaFor(row, commonType(expr)).empty(), "onnx.def: ", expr->info().name, " has no formula of ",
              commonType(expr));
  return std::nullopt;
}

}  // namespace fuser::fuzz
