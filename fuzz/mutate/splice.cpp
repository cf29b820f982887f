// Splice: the donor's inputs, program and outputs behind this case's, under names of their own; where a value here has
// the type of one of the donor's inputs, it may take that input's place.

#include <algorithm>
#include <map>

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kMaxLines = 200;  // two cases of a campaign, many times over, would grow without end

// A value of the case that may stand for an input of the donor.
const EditValue* standIn(const CaseEdit& edit, const EditValue& wanted, Choices& choices) {
  std::vector<const EditValue*> fitting;
  for (const EditValue& value : edit.values) {
    if (value.tensor == wanted.tensor && value.dtype == wanted.dtype && value.rank == wanted.rank)
      fitting.push_back(&value);
  }
  if (fitting.empty() || !choices.chance(0.5)) return nullptr;
  return choices.pick(fitting);
}

// Layouts, stream axes, devices and memory of the donor's tensors come with them. The fusion's devices are its own, or
// the donor's where it has none.
void splicePlacements(CaseEdit& edit, const CaseEdit& donor, const std::string& prefix) {
  if (edit.mesh.empty()) edit.mesh = donor.mesh;
  for (const auto& [name, placement] : donor.placements) edit.placements.emplace(prefix + name, placement);
  for (const auto& [output, input] : donor.aliases) edit.aliases.emplace_back(prefix + output, prefix + input);
  for (PreallocatedOutput memory : donor.preallocated) {
    memory.output = prefix + memory.output;
    edit.preallocated.push_back(std::move(memory));
  }
}

// Each run gets the data of one of the donor's runs for its input `at`; false where the donor has none.
bool giveRuns(CaseEdit& edit, const CaseEdit& donor, size_t at, const std::string& name) {
  for (size_t run = 0; run < edit.runs.size(); ++run) {
    if (donor.runs.empty()) return false;
    RunInput input = donor.runs[run % donor.runs.size()].inputs.at(at);
    input.name = name;
    TensorInput* tensor = std::get_if<TensorInput>(&input.value);
    if (tensor && tensor->recipe.kind == RecipeKind::View) tensor->recipe = Recipe{};
    edit.runs[run].inputs.push_back(std::move(input));
  }
  return true;
}

}  // namespace

bool mutateSplice(CaseEdit& edit, const CaseEdit* donor, Choices& choices) {
  if (!donor || edit.lines.size() + donor->lines.size() > kMaxLines) return false;
  std::string prefix = "d";
  while (std::any_of(edit.values.begin(), edit.values.end(),
                     [&](const EditValue& value) { return value.name.rfind(prefix + "_", 0) == 0; }))
    prefix += "d";
  prefix += "_";
  std::map<std::string, std::string> standing;  // the donor's value -> ours in its place
  const auto nameOf = [&](const std::string& name) {
    const auto found = standing.find(name);
    return found == standing.end() ? prefix + name : found->second;
  };
  const auto operandOf = [&](const EditOperand& operand) {
    return operand.name() ? EditOperand(nameOf(*operand.name())) : operand;
  };
  // An extent of the donor's is its own; what nothing binds any more makes no case.
  const auto sizeOf = [&](IntExpr size) {
    return edit.extents.import(size, [&](IntExpr symbol) {
      const std::string& name = donor->extents.nameOf(symbol);
      return edit.extents.named(name.starts_with('%') ? "%" + nameOf(name.substr(1)) : prefix + name);
    });
  };
  for (const EditInput& input : donor->inputs) {
    if (const EditValue* ours = standIn(edit, *donor->find(input.name), choices)) {
      standing.emplace(input.name, ours->name);
    }
  }
  for (size_t i = 0; i < donor->inputs.size(); ++i) {
    EditInput input = donor->inputs[i];
    if (standing.count(input.name)) continue;
    input.name = prefix + input.name;
    input.axes = withExtents(std::move(input.axes), sizeOf);
    if (!giveRuns(edit, *donor, i, input.name)) return false;
    edit.inputs.push_back(std::move(input));
  }
  for (EditLine line : donor->lines) {
    for (std::string& result : line.results) result = prefix + result;
    for (EditOperand& operand : line.operands) operand = operandOf(operand);
    for (EditOperand& operand : line.braced) operand = operandOf(operand);
    line.attributes = withExtents(std::move(line.attributes), sizeOf);
    edit.lines.push_back(std::move(line));
  }
  for (const EditOperand& output : donor->outputs) edit.outputs.push_back(operandOf(output));
  splicePlacements(edit, *donor, prefix);
  return true;
}

}  // namespace fuser::fuzz
