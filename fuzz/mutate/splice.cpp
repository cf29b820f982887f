// Splice: the donor's inputs, program and outputs behind this case's, under names of their own; where a value here has
// the type of one of the donor's inputs, it may take that input's place.

#include <algorithm>

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kMaxLines = 200;  // two cases of a campaign, many times over, would grow without end

// Every %name and every extent symbol of the donor's text gets a prefix, so that nothing meets by accident.
std::string prefixed(const std::string& text, const std::string& prefix, bool type) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto isName = [&](size_t at) {
      return at < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' || text[at] == '.');
    };
    out += text[i];
    if (text[i] == '%') {
      out += prefix;
    } else if (type && std::isalpha(static_cast<unsigned char>(text[i])) &&
               (i == 0 || (!isName(i - 1) && text[i - 1] != '%'))) {
      out.insert(out.size() - 1, prefix);  // an extent symbol
    }
  }
  return out;
}

std::string prefixedType(const std::string& type, const std::string& prefix) {
  const size_t open = type.find('['), layout = type.find(" {");
  if (open == std::string::npos) return type;
  const size_t end = std::min(layout, type.size());
  return type.substr(0, open) + prefixed(type.substr(open, end - open), prefix, true) + type.substr(end);
}

std::string prefixedShape(const std::string& key, const std::string& value, const std::string& prefix) {
  return key == "shape" ? prefixed(value, prefix, true) : prefixed(value, prefix, false);
}

// A value of the case that may stand for an input of the donor.
const DraftValue* standIn(const Draft& draft, const DraftValue& wanted, Choices& choices) {
  std::vector<const DraftValue*> fitting;
  for (const DraftValue& value : draft.values) {
    if (value.tensor == wanted.tensor && value.dtype == wanted.dtype && value.rank == wanted.rank)
      fitting.push_back(&value);
  }
  if (fitting.empty() || !choices.chance(0.5)) return nullptr;
  return choices.pick(fitting);
}

// Layouts, stream axes, devices and memory of the donor's tensors come with them. The fusion's devices are its own, or
// the donor's where it has none.
void splicePlacements(Draft& draft, const Draft& donor, const std::string& prefix) {
  if (draft.mesh.empty()) draft.mesh = donor.mesh;
  for (const auto& [name, placement] : donor.placements) draft.placements.emplace(prefix + name, placement);
  for (const auto& [output, input] : donor.aliases) draft.aliases.emplace_back(prefix + output, prefix + input);
  for (PreallocatedOutput given : donor.preallocated) {
    given.output = prefix + given.output;
    draft.preallocated.push_back(std::move(given));
  }
}

}  // namespace

bool mutateSplice(Draft& draft, const Draft* donor, Choices& choices) {
  if (!donor || draft.lines.size() + donor->lines.size() > kMaxLines) return false;
  std::string prefix = "d";
  while (std::any_of(draft.values.begin(), draft.values.end(),
                     [&](const DraftValue& value) { return value.name.rfind(prefix + "_", 0) == 0; }))
    prefix += "d";
  prefix += "_";
  std::vector<std::pair<std::string, std::string>> replaced;  // the donor's operand -> ours
  for (size_t i = 0; i < donor->inputs.size(); ++i) {
    const auto& [name, type] = donor->inputs[i];
    const DraftValue* ours = standIn(draft, *donor->find("%" + name), choices);
    if (ours) {
      replaced.emplace_back("%" + prefix + name, "%" + ours->name);
      continue;
    }
    draft.inputs.emplace_back(prefix + name, prefixedType(type, prefix));
    for (size_t run = 0; run < draft.runs.size(); ++run) {
      if (donor->runs.empty()) return false;
      RunInput input = donor->runs[run % donor->runs.size()].inputs.at(i);
      input.name = prefix + name;
      TensorInput* tensor = std::get_if<TensorInput>(&input.value);
      if (tensor && tensor->recipe.kind == RecipeKind::View) tensor->recipe = Recipe{};
      draft.runs[run].inputs.push_back(std::move(input));
    }
  }
  const auto operandOf = [&](const std::string& operand) {
    const std::string ours = prefixed(operand, prefix, false);
    for (const auto& [theirs, value] : replaced) {
      if (theirs == ours) return value;
    }
    return ours;
  };
  for (DraftLine line : donor->lines) {
    for (std::string& result : line.results) result = prefix + result;
    for (std::string& operand : line.operands) operand = operandOf(operand);
    for (auto& [key, value] : line.attributes) value = key == "dtype" ? value : prefixedShape(key, value, prefix);
    draft.lines.push_back(std::move(line));
  }
  for (const std::string& output : donor->outputs) draft.outputs.push_back(operandOf(output));
  splicePlacements(draft, *donor, prefix);
  return true;
}

}  // namespace fuser::fuzz
