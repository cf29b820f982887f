#pragma once
// What mutations begin from, and what they end in.

#include "fuzz/choices/choices.h"
#include "fuzz/edit/case_edit.h"

namespace fuser::fuzz {

// Without metadata, and without schedules, which are made for one program. What is expected becomes that runs agree or
// are rejected; what the runs' sizes do not suit is left out.
CaseEdit editForMutation(const Case& testCase);

// A UserError as finish() has it, and where nothing is returned any more.
Case finishMutant(const CaseEdit& edit);

// The edit becomes that of its case after a change of it, for mutations that need to know types. False where `change`,
// which is asked once, says that it found no place, or the runs do not fit the program; the edit stays then as it is.
bool changeCase(CaseEdit& edit, Choices& choices, bool (*change)(Case& testCase, Choices& choices));

}  // namespace fuser::fuzz
