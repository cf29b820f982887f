// The smallest fusion of one op, a line a family, and the ways in which its operand may lie.

#include "fuzz/campaign/combinations.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "fuser/ir/fusion.h"
#include "fuser/ops/op_table.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"

namespace fuser::fuzz {
namespace {

constexpr int64_t kMostAxes = 8;

std::string listOf(int64_t count, const std::function<std::string(int64_t)>& entry) {
  std::string text = "[";
  for (int64_t i = 0; i < count; ++i) text += concat(i == 0 ? "" : ", ", entry(i));
  return text + "]";
}

template <class Entry>
std::string listOf(const std::vector<Entry>& entries) {
  return listOf(static_cast<int64_t>(entries.size()),
                [&](int64_t i) { return concat(entries[static_cast<size_t>(i)]); });
}

// The parts of a fusion of one op on %a.
struct Program {
  std::vector<std::string> axes;  // of the operands: "i0"
  std::vector<int64_t> sizes;     // in a run
  std::string line;               // what follows "%y = "
  bool hasCondition = false, hasIndices = false, isOnHost = false, hasChoice = false;
};

// Values for the operands that the row names: ascending ones, so that bounds are in order.
std::string attributesOf(OpKind op) {
  std::string entries(opInfo(op).variant);
  int64_t value = 1;
  for (const NamedOperand& operand : namedOperands(op)) {
    if (!operand.ifAbsent) entries += concat(entries.empty() ? "" : ", ", operand.name, " = ", value);
    ++value;
  }
  return entries.empty() ? "" : concat(" {", entries, "}");
}

std::string pointwiseLine(OpKind op, Program& program) {
  program.hasCondition = takesCondition(op, 0);
  std::string operands = program.hasCondition ? "%c" : "%a";
  for (size_t i = 1; i < operandCount(op) - namedOperands(op).size(); ++i) operands += ", %a";
  return concat(opInfo(op).mnemonic, "(", operands, ")", attributesOf(op));
}

std::optional<Program> programOf(OpKind op, DataType dtype, int64_t rank) {
  Program program;
  for (int64_t i = 0; i < rank; ++i) {
    program.axes.push_back(concat("i", i));
    program.sizes.push_back(i % 2 == 0 ? 2 : 3);
  }
  const std::string name(opInfo(op).mnemonic), type(dtypeName(dtype)), last = concat(rank - 1);
  const auto onA = [&](const std::string& attributes) { return concat(name, "(%a) {", attributes, "}"); };
  const auto withLeadingOne = [&] {
    if (rank == 0) return;
    program.axes[0] = "1";
    program.sizes[0] = 1;
  };
  switch (opInfo(op).family) {
    case Family::Unary:
    case Family::Binary:
    case Family::Ternary: program.line = pointwiseLine(op, program); break;
    case Family::Cast: program.line = onA(dtype == DataType::Float ? "dtype = bf16" : "dtype = f32"); break;
    case Family::Bitcast:
      if (!bitsDtype(dtype)) return std::nullopt;
      program.line = onA(concat("dtype = ", *bitsDtype(dtype)));
      break;
    case Family::LoadStore: program.line = concat(name, "(%a)"); break;
    case Family::Broadcast: program.line = onA("dims = [0]"); break;
    case Family::Squeeze:
      withLeadingOne();
      program.line = onA("dims = [0]");
      break;
    case Family::Expand:
      withLeadingOne();
      program.line = onA("shape = " + listOf(rank, [](int64_t i) { return std::string(i == 0 ? "3" : "-1"); }));
      break;
    case Family::Permute:
      program.line = onA("dims = " + listOf(rank, [&](int64_t i) { return concat(rank - 1 - i); }));
      break;
    case Family::Factory:
      program.line = concat(name, "() {shape = ", listOf(program.axes), ", fill_value = 1, dtype = ", type, "}");
      break;
    case Family::Range:
      if (rank != 1) return std::nullopt;
      program.line = concat(name, "() {end = i0, dtype = ", type, "}");
      break;
    case Family::Eye:
      if (rank != 2) return std::nullopt;
      program.line = concat(name, "() {n = i0, m = i1, dtype = ", type, "}");
      break;
    case Family::Size: program.line = onA("dim = 0"); break;
    case Family::Item:
      program.isOnHost = true;
      program.line = concat(name, "(%a)");
      break;
    case Family::Slice: program.line = onA(concat("dim = ", last, ", start = 1")); break;
    case Family::Pad: program.line = onA("pad = [1, 1]"); break;
    case Family::Cat: program.line = concat(name, "(%a, %a) {dim = 0}"); break;
    case Family::Reshape: program.line = onA("shape = [-1]"); break;
    case Family::Repeat:
      program.line = onA("repeats = " + listOf(rank, [](int64_t i) { return concat(i == 0 ? 2 : 1); }));
      break;
    case Family::Flip: program.line = onA("dims = [0]"); break;
    case Family::Scan: program.line = onA("dim = " + last); break;
    case Family::Unfold: program.line = onA(concat("dim = ", last, ", window = 1")); break;
    case Family::Select: program.line = onA(concat("dim = ", last, ", index = 0")); break;
    case Family::Branch:
      program.hasChoice = true;
      program.line = concat(name, "(%a, %a) {condition = %choice}");
      break;
    case Family::Update: program.line = "set(%a)\n  update %y = %a"; break;
    case Family::SliceScatter: program.line = concat(name, "(%a, %a) {dim = ", last, "}"); break;
    case Family::Gather:
      program.hasIndices = true;
      program.line = concat(name, "(%a, %i) {dim = ", last, "}");
      break;
    case Family::Scatter:
      program.hasIndices = true;
      program.line = concat(name, "(%a, %i, %a) {dim = ", last, "}");
      break;
    case Family::Reduction:
    case Family::ExtremeIndex:
    case Family::Welford: program.line = rank == 0 ? concat(name, "(%a)") : onA(concat("dims = [", last, "]")); break;
  }
  return program;
}

// The operand's, a run each.
std::vector<std::vector<int64_t>> sizesOfRuns(const Program& program, const Arrangement& arrangement) {
  if (arrangement.lastSizes.empty()) return {program.sizes};
  std::vector<std::vector<int64_t>> runs;
  if (program.axes.empty() || program.axes.back() == "1") return runs;  // it has no size of its own
  for (const int64_t last : arrangement.lastSizes) {
    std::vector<int64_t> sizes = program.sizes;
    sizes.back() = last;
    const int64_t elements = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
    if (elements <= arrangement.mostElements) runs.push_back(std::move(sizes));
  }
  return runs;
}

// Whether the operand can lie so; its axes say so then.
bool arrange(Program& program, const Arrangement& arrangement) {
  if (sizesOfRuns(program, arrangement).empty()) return false;
  switch (arrangement.layout) {
    case OperandLayout::RowMajor: return true;
    case OperandLayout::Permuted: return program.axes.size() > 1;
    case OperandLayout::WithGaps: return !program.axes.empty();
    case OperandLayout::Expanded:
      for (size_t axis = 0; axis + 1 < program.axes.size(); ++axis) {
        if (program.axes[axis] == "1") continue;
        program.axes[axis] = concat("1*", program.axes[axis]);
        return true;
      }
      return false;
    case OperandLayout::Offset:
    case OperandLayout::ViewOfAnInput: return !program.isOnHost;
  }
  FUSER_CHECK(false, "bad OperandLayout");
}

// What the operand's type says of its layout.
std::string typeLayout(const Program& program, OperandLayout layout) {
  const auto rank = static_cast<int64_t>(program.axes.size());
  if (program.isOnHost) return " {device = cpu}";
  if (layout == OperandLayout::Permuted)
    return concat(" {allocation_order = ", listOf(rank, [&](int64_t i) { return concat(rank - 1 - i); }), "}");
  if (layout != OperandLayout::WithGaps) return "";
  const auto entry = [&](int64_t i) { return program.axes[static_cast<size_t>(i)] == "1" ? "none" : "false"; };
  return concat(" {contiguity = ", listOf(rank, entry), "}");
}

// The operand's memory in a run: with gaps between all elements, and more of them between rows.
std::string memoryOf(const std::vector<int64_t>& sizes, OperandLayout layout) {
  if (layout == OperandLayout::Offset) return " {offset = 3}";
  if (layout != OperandLayout::WithGaps) return "";
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 2;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride = stride * std::max<int64_t>(sizes[i], 1) + 1;
  }
  return concat(" {strides = ", listOf(strides), "}");
}

std::string runOf(const Program& program, const std::string& type, const std::vector<int64_t>& sizes,
                  OperandLayout layout) {
  const bool isBool = type == dtypeName(DataType::Bool), isView = layout == OperandLayout::ViewOfAnInput;
  std::string data = concat("  ", isView ? "%whole" : "%a", " = integers(seed = 1, low = ", isBool ? 0 : 1,
                            ", high = ", isBool ? 2 : 4, ") : ", type, listOf(sizes), memoryOf(sizes, layout), "\n");
  if (isView) data += concat("  %a = view of %whole : ", type, listOf(sizes), "\n");
  if (program.hasCondition) data += concat("  %c = integers(seed = 2, low = 0, high = 2) : bool", listOf(sizes), "\n");
  if (program.hasIndices) data += concat("  %i = integers(seed = 3, low = 0, high = 2) : i64", listOf(sizes), "\n");
  if (program.hasChoice) data += "  %choice = false\n";
  return concat("run {\n", data, "}\n");
}

std::string textOf(const Program& program, OpKind op, const std::string& type, const Arrangement& arrangement) {
  const std::string axes = listOf(program.axes), layout = typeLayout(program, arrangement.layout);
  std::string parameters = concat("%a: ", type, axes, layout);
  if (arrangement.layout == OperandLayout::ViewOfAnInput) parameters += concat(", %whole: ", type, axes, layout);
  if (program.hasCondition) parameters += concat(", %c: bool", axes);
  if (program.hasIndices) parameters += concat(", %i: i64", axes);
  if (program.hasChoice) parameters += ", %choice: bool";
  const char* results = opInfo(op).results == 2 ? "%y, %z" : "%y";
  std::string text =
      concat("fusion f(", parameters, ") {\n  ", results, " = ", program.line, "\n  return ", results, "\n}\n");
  for (const std::vector<int64_t>& sizes : sizesOfRuns(program, arrangement)) {
    text += runOf(program, type, sizes, arrangement.layout);
  }
  return text;
}

OpKind opOf(const std::string& name) {
  const auto found =
      std::find_if(std::begin(kAllOps), std::end(kAllOps), [&](OpKind op) { return opName(op) == name; });
  FUSER_USER_CHECK(found != std::end(kAllOps), "no op is called ", name);
  return *found;
}

DataType dtypeOf(const std::string& name) {
  const auto found = std::find_if(std::begin(kAllDataTypes), std::end(kAllDataTypes),
                                  [&](DataType dtype) { return dtypeName(dtype) == name; });
  FUSER_USER_CHECK(found != std::end(kAllDataTypes), "no dtype is called ", name);
  return *found;
}

Combination combinationOf(OpKind op, DataType dtype, int64_t rank) {
  return {std::string(opName(op)), std::string(dtypeName(dtype)), std::to_string(rank)};
}

// The dtype and the rank of some case of the op.
std::pair<DataType, int64_t> someOperandOf(OpKind op) {
  for (DataType dtype : kAllDataTypes) {
    for (int64_t rank = 0; rank <= kMostAxes; ++rank) {
      if (caseOf(combinationOf(op, dtype, rank))) return {dtype, rank};
    }
  }
  FUSER_CHECK(false, "no case of ", opName(op));
}

// No op takes a dtype at some of its ranks alone, so that few cases tell: to read one of each takes 0.3 s.
void addCombinationsOf(OpKind op, std::vector<Combination>& all) {
  const auto [someDtype, someRank] = someOperandOf(op);
  std::vector<int64_t> ranks;
  for (int64_t rank = 0; rank <= kMostAxes; ++rank) {
    if (caseOf(combinationOf(op, someDtype, rank))) ranks.push_back(rank);
  }
  for (DataType dtype : kAllDataTypes) {
    if (!caseOf(combinationOf(op, dtype, someRank))) continue;
    for (int64_t rank : ranks) all.push_back(combinationOf(op, dtype, rank));
  }
}

}  // namespace

std::set<Combination> combinationsOf(const Fusion& fusion) {
  std::set<Combination> found;
  for (const Expr* expr : fusion.exprs()) {
    if (expr->isScalarExpr() && expr->inputs().empty()) continue;
    const Val* typed = nullptr;
    for (size_t i = 0; i < expr->inputs().size() && !typed; ++i) {
      const bool isCondition = isPointwise(expr->op()) && takesCondition(expr->op(), i);
      if (expr->inputs()[i]->isTensor() && !isCondition) typed = expr->inputs()[i];
    }
    if (!typed && expr->output()->isTensor()) typed = expr->output();
    if (!typed) continue;
    const size_t rank = typed->as<TensorView>()->axes().size();
    found.insert(combinationOf(expr->op(), typed->dtype(), static_cast<int64_t>(rank)));
  }
  return found;
}

std::string_view layoutName(OperandLayout layout) {
  switch (layout) {
    case OperandLayout::RowMajor: return "row-major";
    case OperandLayout::Permuted: return "permuted";
    case OperandLayout::WithGaps: return "with gaps";
    case OperandLayout::Expanded: return "expanded";
    case OperandLayout::Offset: return "offset";
    case OperandLayout::ViewOfAnInput: return "view of an input";
  }
  FUSER_CHECK(false, "bad OperandLayout");
}

std::optional<std::string> caseOf(const Combination& combination, const Arrangement& arrangement) {
  const OpKind op = opOf(combination[0]);
  const DataType dtype = dtypeOf(combination[1]);
  const int64_t rank = std::stoll(combination[2]);
  if (!acceptsDtype(op, dtype) || rank > kMostAxes) return std::nullopt;
  std::optional<Program> program = programOf(op, dtype, rank);
  if (!program || !arrange(*program, arrangement)) return std::nullopt;
  const std::string text = textOf(*program, op, combination[1], arrangement);
  try {
    // The parser inserts casts: a sum of i32 is one of i64.
    const Case testCase = parseCase(text, toString(combination));
    if (combinationsOf(*testCase.fusion).count(combination) == 0) return std::nullopt;
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return std::nullopt;  // such as a squeeze of no axes, a ninth axis
  }
  return text;
}

const std::vector<Combination>& possibleCombinations() {
  static const std::vector<Combination> possible = [] {
    std::vector<Combination> all;
    for (OpKind op : kAllOps) addCombinationsOf(op, all);
    return all;
  }();
  return possible;
}

std::string toString(const Combination& combination) {
  return concat(combination[0], " ", combination[1], " rank ", combination[2]);
}

}  // namespace fuser::fuzz
