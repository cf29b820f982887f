// A change of a case, applied to its CaseEdit: inputs, lines, outputs, runs. finish() makes the case.

#include "fuser/support/set_up_error.h"
#include "fuzz/minimize/rebuilding.h"

namespace fuser::fuzz {
namespace {

std::optional<Case> madeBy(const std::function<std::optional<Case>()>& make) {
  try {
    return make();
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return std::nullopt;  // the operands no longer fit, a symbol is bound by nothing, …
  }
}

}  // namespace

std::optional<Case> rebuild(const Case& from, const Change& change, const MakeRecipe& makeRecipe) {
  return madeBy([&] {
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
  });
}

std::optional<Case> edited(const Case& from, const EditCase& change) {
  return madeBy([&]() -> std::optional<Case> {
    CaseEdit edit = caseEditOf(from);
    if (!change(edit)) return std::nullopt;
    return finish(edit);
  });
}

}  // namespace fuser::fuzz
