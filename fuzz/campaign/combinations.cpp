// The smallest fusion of one op, a line a family.

#include "fuzz/campaign/combinations.h"

#include <algorithm>

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

// The parts of a fusion of one op on %a.
struct Program {
  std::string operandType;  // its axes
  std::string sizes;        // in the run
  std::string line;         // what follows "%y = "
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
  program.operandType = listOf(rank, [](int64_t i) { return concat("i", i); });
  program.sizes = listOf(rank, [](int64_t i) { return concat(i % 2 == 0 ? 2 : 3); });
  const std::string name(opInfo(op).mnemonic), type(dtypeName(dtype)), last = concat(rank - 1);
  const auto onA = [&](const std::string& attributes) { return concat(name, "(%a) {", attributes, "}"); };
  const auto withLeadingOne = [&] {
    program.operandType = listOf(rank, [](int64_t i) { return i == 0 ? std::string("1") : concat("i", i); });
    program.sizes = listOf(rank, [](int64_t i) { return concat(i == 0 ? 1 : i % 2 == 0 ? 2 : 3); });
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
      program.line = concat(name, "() {shape = ", program.operandType, ", fill_value = 1, dtype = ", type, "}");
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
    found.insert({std::string(opName(expr->op())), std::string(dtypeName(typed->dtype())), std::to_string(rank)});
  }
  return found;
}

std::optional<std::string> caseOf(const Combination& combination) {
  const OpKind op = opOf(combination[0]);
  const DataType dtype = dtypeOf(combination[1]);
  const int64_t rank = std::stoll(combination[2]);
  if (!acceptsDtype(op, dtype) || rank > kMostAxes) return std::nullopt;
  const std::optional<Program> program = programOf(op, dtype, rank);
  if (!program) return std::nullopt;
  std::string parameters =
      concat("%a: ", combination[1], program->operandType, program->isOnHost ? " {device = cpu}" : "");
  const std::string_view high = dtype == DataType::Bool ? "2" : "4";
  std::string data = concat("  %a = integers(seed = 1, low = ", dtype == DataType::Bool ? "0" : "1", ", high = ", high,
                            ") : ", combination[1], program->sizes, "\n");
  if (program->hasCondition) {
    parameters += concat(", %c: bool", program->operandType);
    data += concat("  %c = integers(seed = 2, low = 0, high = 2) : bool", program->sizes, "\n");
  }
  if (program->hasIndices) {
    parameters += concat(", %i: i64", program->operandType);
    data += concat("  %i = integers(seed = 3, low = 0, high = 2) : i64", program->sizes, "\n");
  }
  if (program->hasChoice) {
    parameters += ", %choice: bool";
    data += "  %choice = false\n";
  }
  const bool hasTwo = opInfo(op).results == 2;
  const std::string text = concat("fusion f(", parameters, ") {\n  %y", hasTwo ? ", %z" : "", " = ", program->line,
                                  "\n  return %y", hasTwo ? ", %z" : "", "\n}\nrun {\n", data, "}\n");
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
    for (OpKind op : kAllOps) {
      for (DataType dtype : kAllDataTypes) {
        for (int64_t rank = 0; rank <= kMostAxes; ++rank) {
          Combination one{std::string(opName(op)), std::string(dtypeName(dtype)), std::to_string(rank)};
          if (caseOf(one)) all.push_back(std::move(one));
        }
      }
    }
    return all;
  }();
  return possible;
}

std::string toString(const Combination& combination) {
  return concat(combination[0], " ", combination[1], " rank ", combination[2]);
}

}  // namespace fuser::fuzz
