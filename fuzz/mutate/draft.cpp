// A case into lines, and back through the parser.

#include "fuzz/mutate/draft.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "fuser/analysis/standalone_op.h"
#include "fuser/ir/sharding.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/run_sizes.h"
#include "fuzz/generate/streams.h"

namespace fuser::fuzz {
namespace {

// The pieces between commas that stand in no bracket.
std::vector<std::string> splitList(const std::string& text) {
  std::vector<std::string> pieces;
  std::string piece;
  int depth = 0;
  for (char c : text) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      pieces.push_back(piece);
      piece.clear();
    } else if (c != ' ' || !piece.empty()) {
      piece += c;
    }
  }
  if (!piece.empty()) pieces.push_back(piece);
  return pieces;
}

// printExpr's line without the types.
DraftLine splitLine(const Expr* expr, const ValueNames& names) {
  std::string text = printExpr(expr, names);
  DraftLine line;
  for (const Val* output : expr->outputs()) line.results.push_back(names.of(output));
  text.erase(0, text.find(" = ") + 3);
  const size_t open = text.find('('), close = text.find(')', open);
  line.op = text.substr(0, open);
  line.operands = splitList(text.substr(open + 1, close - open - 1));
  if (text.compare(close + 1, 2, " {") != 0) return line;
  const size_t begin = close + 3;
  for (const std::string& attribute : splitList(text.substr(begin, text.find("} : ", begin) - begin))) {
    const size_t equals = attribute.find(" = ");
    line.attributes.emplace_back(attribute.substr(0, equals), attribute.substr(equals + 3));
  }
  return line;
}

DraftValue describe(const Val* val, const ValueNames& names, size_t line) {
  return {names.of(val), val->isTensor(), val->dtype(), val->isTensor() ? val->as<TensorView>()->rank() : 0, line};
}

std::string joined(const std::vector<std::string>& pieces, const char* before) {
  std::string text;
  for (const std::string& piece : pieces) text += (text.empty() ? "" : ", ") + (before + piece);
  return text;
}

std::string lineText(const DraftLine& line) {
  std::string text = joined(line.results, "%") + " = " + line.op + "(" + joined(line.operands, "") + ")";
  std::vector<std::string> attributes;
  for (const auto& [key, value] : line.attributes) attributes.push_back(key + " = " + value);
  return attributes.empty() ? text : text + " {" + joined(attributes, "") + "}";
}

// Every "%former" in the text, but not "%former.b1".
void rename(std::string& text, const std::string& former, const std::string& name) {
  const std::string wanted = "%" + former;
  const auto isNameByte = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
  for (size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) {
    const size_t end = at + wanted.size();
    if (end < text.size() && isNameByte(text[end])) continue;
    text.replace(at, wanted.size(), "%" + name);
  }
}

// Null where the runs do not fit the program, and are rejected for that.
std::unique_ptr<RunSizes> sizesOf(const Case& made) {
  try {
    return std::make_unique<RunSizes>(made);
  } catch (const UserError&) {
    return nullptr;
  }
}

// Whether the axis has such a size in every run, as far as that is known.
bool fits(RunSizes& sizes, const IterDomain* axis, const std::function<bool(int64_t)>& wanted) {
  try {
    return sizes.all(axis->size(), wanted);
  } catch (const UserError&) {
    return false;
  }
}

// What one expression makes, or one input, is in one place: that of the first. Nothing of it runs on streams.
void dropShards(const std::vector<Val*>& tensors, RunSizes* sizes) {
  Sharding sharding = shardingOf(tensors.front()->as<TensorView>());
  const DeviceMesh mesh = tensors.front()->as<TensorView>()->domain().mesh;
  const auto parts = static_cast<int64_t>(sharding.mesh.size());
  const auto isEqual = [&](int64_t size) { return size % parts == 0; };
  if (sharding.axis && sizes && !fits(*sizes, tensors.front()->as<TensorView>()->axes()[*sharding.axis], isEqual)) {
    sharding.axis.reset();
  }
  for (Val* tensor : tensors) {
    setSharding(tensor->as<TensorView>(), sharding);
    tensor->as<TensorView>()->domain().mesh = mesh;
  }
}

// All results of an expression have the axis of whichever was given one.
void dropStreams(const Expr* expr, RunSizes* sizes) {
  bool given = false;
  for (Val* output : expr->outputs()) {
    auto* tensor = output->as<TensorView>();
    const std::optional<size_t> axis = tensor->streamAxis();
    if (!axis) continue;
    const auto isFew = [](int64_t size) { return size <= kMaxTurns; };
    const bool possible =
        !given && whyNoSlices(expr, *axis).empty() && (!sizes || fits(*sizes, tensor->axes()[*axis], isFew));
    if (!possible) tensor->axes()[*axis]->parallelize(ParallelType::Serial);
    given |= possible;
  }
}

void placeAll(const Draft& draft, Case& made) {
  Fusion& fusion = *made.fusion;
  fusion.setMesh(draft.mesh);
  for (Val* val : fusion.usedVals()) {
    const auto found = draft.placements.find(val->name());
    if (val->isTensor() && found != draft.placements.end()) place(val->as<TensorView>(), found->second);
  }
  keepPossibleViews(fusion);
  const std::unique_ptr<RunSizes> sizes = sizesOf(made);
  for (Val* input : fusion.inputs()) {
    if (fusion.hasDevices() && input->isTensor()) dropShards({input}, sizes.get());
  }
  for (const Expr* expr : fusion.exprs()) {
    if (expr->isScalarExpr()) continue;
    fusion.hasDevices() ? dropShards(expr->outputs(), sizes.get()) : dropStreams(expr, sizes.get());
  }
  giveMemory(made, draft.aliases, draft.preallocated);
}

}  // namespace

std::vector<const DraftValue*> Draft::valuesBefore(size_t line) const {
  std::vector<const DraftValue*> found;
  for (const DraftValue& value : values) {
    if (value.line <= line) found.push_back(&value);
  }
  return found;
}

const DraftValue* Draft::find(const std::string& operand) const {
  for (const DraftValue& value : values) {
    if (operand == "%" + value.name) return &value;
  }
  return nullptr;
}

std::string Draft::freshName(const std::string& base) const {
  for (int number = 0;; ++number) {
    const std::string name = base + ".m" + std::to_string(number);
    if (std::none_of(values.begin(), values.end(), [&](const DraftValue& value) { return value.name == name; }))
      return name;
  }
}

void Draft::insertBehind(const DraftValue& former, DraftLine line) {
  const std::string name = line.results.at(0);
  for (size_t i = former.line; i < lines.size(); ++i) {
    for (std::string& operand : lines[i].operands) rename(operand, former.name, name);
  }
  for (std::string& output : outputs) rename(output, former.name, name);
  for (auto& [output, input] : aliases) output = output == former.name ? name : output;
  for (PreallocatedOutput& given : preallocated) given.output = given.output == former.name ? name : given.output;
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(former.line), std::move(line));
}

Draft draftOf(const Case& testCase) {
  const Fusion& fusion = *testCase.fusion;
  const ValueNames names(fusion);
  Draft draft;
  draft.name = fusion.name();
  for (const Val* input : fusion.inputs()) {
    draft.inputs.emplace_back(names.of(input), printType(input, names));
    draft.values.push_back(describe(input, names, 0));
  }
  for (const Expr* expr : fusion.exprs()) {
    draft.lines.push_back(splitLine(expr, names));
    for (const Val* output : expr->outputs()) draft.values.push_back(describe(output, names, draft.lines.size()));
  }
  for (const Val* output : fusion.outputs()) draft.outputs.push_back(printOperand(output, names));
  for (const Val* val : fusion.usedVals()) {
    if (val->isTensor()) draft.placements.emplace(names.of(val), placementOf(val->as<TensorView>()));
  }
  draft.mesh = fusion.mesh();
  draft.aliases = testCase.aliases;
  draft.preallocated = testCase.preallocated;
  draft.options = testCase.options;
  draft.runs = testCase.runs;
  for (Run& run : draft.runs) {
    run.expectation = Expectation::AgreesOrRejected;  // sizes may meet that do not fit
    for (size_t i = 0; i < run.inputs.size(); ++i) run.inputs[i].name = draft.inputs.at(i).first;
  }
  return draft;
}

Case finish(const Draft& draft) {
  std::string text = "fusion " + draft.name + "(";
  for (size_t i = 0; i < draft.inputs.size(); ++i) {
    text += concat(i ? ", %" : "%", draft.inputs[i].first, ": ", draft.inputs[i].second);
  }
  text += ") {\n";
  for (const DraftLine& line : draft.lines) text += "  " + lineText(line) + "\n";
  Case made;
  made.fusion = parseFusion(text + "  return " + joined(draft.outputs, "") + "\n}\n", "draft");
  made.options = draft.options;
  made.runs = draft.runs;
  FUSER_USER_CHECK(!made.fusion->outputs().empty(), "the draft has no output");
  placeAll(draft, made);
  // The parser holds the runs against the inputs.
  return parseCase(printCase(made), "draft");
}

bool changeCase(Draft& draft, Choices& choices, bool (*change)(Case& testCase, Choices& choices)) {
  try {
    Case testCase = finish(draft);
    if (!change(testCase, choices)) return false;
    draft = draftOf(testCase);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace fuser::fuzz
