// A change of a case, applied to its CaseEdit: inputs, lines, outputs, runs. finish() makes the case.

#include "fuzz/minimize/rebuilding.h"

namespace fuser::fuzz {

std::optional<Case> rebuild(const Case& from, const Change& change, const MakeRecipe& makeRecipe) {
  try {
    Rebuilding rebuilding(from, change, makeRecipe);
    rebuilding.edit.placements.clear();  // those of what is left come with it
    editInputs(rebuilding);
    editLines(rebuilding);
    rebuilding.edit.outputs.clear();
    for (const Val* output : rebuilding.kept.outputs()) {
      rebuilding.edit.outputs.push_back(rebuilding.operandOf(output));
    }
    editRuns(rebuilding);
    return finish(rebuilding.edit);
  } catch (const UserError&) {
    return std::nullopt;  // the operands no longer fit, a symbol is bound by nothing, …
  } catch (const CheckError&) {
    return std::nullopt;  // the builders trip over something absurd; the case at hand is about something else
  }
}

}  // namespace fuser::fuzz
