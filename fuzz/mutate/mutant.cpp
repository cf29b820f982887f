#include "fuzz/mutate/mutant.h"

#include "fuser/support/set_up_error.h"

namespace fuser::fuzz {

CaseEdit editForMutation(const Case& testCase) {
  CaseEdit edit = caseEditOf(testCase);
  edit.metadata.clear();
  edit.schedule.reset();
  edit.segmentSchedules.clear();
  for (Run& run : edit.runs) run.expectation = Expectation::AgreesOrRejected;  // sizes may meet that do not fit
  edit.dropUnsuited = true;
  return edit;
}

Case finishMutant(const CaseEdit& edit) {
  FUSER_USER_CHECK(!edit.outputs.empty(), "the mutant has no output");
  return finish(edit);
}

bool changeCase(CaseEdit& edit, Choices& choices, bool (*change)(Case& testCase, Choices& choices)) {
  try {
    Case testCase = finishMutant(edit);
    if (!change(testCase, choices)) return false;
    edit = editForMutation(testCase);
    return true;
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return false;
  }
}

}  // namespace fuser::fuzz
