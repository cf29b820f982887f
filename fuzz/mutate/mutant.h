#pragma once
// The first and the last step of every mutation.

#include "fuzz/choices/choices.h"
#include "fuzz/edit/case_edit.h"

namespace fuser::fuzz {

// The edit of a case without metadata and without schedules, which are made for one program. Expectations become
// "agrees or is rejected"; placements that do not suit the runs' sizes are omitted.
CaseEdit editForMutation(const Case& testCase);

// Converts the edit to a case. A UserError as from finish(), and for a program without outputs.
Case finishMutant(const CaseEdit& edit);

// For mutations that need to know types: converts the edit to a case, applies `change` once, and makes the edit that of
// the result. Returns false, with the edit unchanged, if `change` does not apply or the runs do not fit the program.
bool changeCase(CaseEdit& edit, Choices& choices, bool (*change)(Case& testCase, Choices& choices));

}  // namespace fuser::fuzz
