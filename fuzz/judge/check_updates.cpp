#include "fuzz/judge/check_updates.h"

#include <algorithm>

#include "fuser/case/aliases.h"
#include "fuser/case/functional_updates.h"
#include "fuser/evaluate/check_shapes.h"
#include "fuser/ir/updates.h"
#include "fuser/runtime/input_facts.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/judge/same_bits.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {

namespace {

// Null where both left the same elements in every output.
const Val* otherOutput(const Fusion& fusion, const reference::MemoryAfter& a, const reference::MemoryAfter& b) {
  for (size_t i = 0; i < fusion.outputs().size(); ++i) {
    if (!sameBits(a.outputs[i].value, b.outputs.at(i).value)) return fusion.outputs()[i];
  }
  return nullptr;
}

reference::MemoryAfter runStatements(const Fusion& fusion, const std::vector<HostValue>& inputs) {
  ExpressionEvaluator scalars(fusion);
  scalars.bindInputs(inputs);
  std::vector<reference::Value> values;
  for (const HostValue& input : inputs) values.push_back({input, nullptr});
  return reference::runStatements(fusion, values, [&](const Val* scalar) { return scalars.evaluate(scalar); });
}

}  // namespace

std::string wrongUpdate(const Case& statements, const Case& functional, const std::vector<HostValue>& inputs) {
  ExpressionEvaluator sizes(*functional.fusion);
  sizes.bindInputs(inputs);
  checkShapes(*functional.fusion, sizes);
  // Where elements share memory the run is refused: what statements leave there depends on the order of elements.
  for (const auto& [output, input] : aliasesIn(*functional.fusion, functional.aliases)) {
    if (!hasOwnElements(inputTensor(*functional.fusion, input, inputs))) return "";
  }
  const reference::MemoryAfter wanted = runStatements(*statements.fusion, inputs);
  const reference::MemoryAfter given = runStatements(*functional.fusion, inputs);
  const auto problem = [](std::string_view what, const Val* val) {
    return concat("updates: ", what, " %", val->name(), " has other elements than the statements leave in memory");
  };
  if (const Val* other = otherOutput(*statements.fusion, wanted, given)) return problem("output", other);
  const auto hasLine = [&](const std::string& input) {
    return std::any_of(statements.aliases.begin(), statements.aliases.end(),
                       [&](const auto& alias) { return alias.second == input; });
  };
  for (const auto& [output, input] : aliasesIn(*functional.fusion, functional.aliases)) {
    if (hasLine(input->name())) continue;  // an output of the case, and no update
    const std::vector<Val*>& known = functional.fusion->inputs();
    const auto place = static_cast<size_t>(std::find(known.begin(), known.end(), input) - known.begin());
    if (!sameBits(wanted.inputs[place].value, given.outputs.at(output).value)) return problem("input", input);
  }
  return "";
}

std::string otherMemory(const Fusion& wanted, const Fusion& given, const std::vector<HostValue>& inputs) {
  const Val* other = otherOutput(wanted, runStatements(wanted, inputs), runStatements(given, inputs));
  return other ? concat("output %", other->name(), " has other elements") : "";
}

FunctionalForm::FunctionalForm(const Case& statements) {
  if (!hasUpdates(*statements.fusion)) return;
  try {
    made = functionalCase(statements);
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    refusal = std::current_exception();
  }
}

FunctionalCases::FunctionalCases(std::span<const Case* const> cases) : cases_(cases.begin(), cases.end()) {
  for (const Case*& testCase : cases_) {
    if (!hasUpdates(*testCase->fusion)) continue;
    try {
      testCase = &made_.emplace_back(functionalCase(*testCase));
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
    }
  }
}

}  // namespace fuser::fuzz
