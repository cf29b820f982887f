#pragma once
// Memory of the caller's for a case's outputs.

#include "fuser/case/case.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

// Most outputs that may have it get memory, in any order of axes, with gaps, misaligned. False, and nothing is changed, where
// none may.
bool preallocateOutputs(Case& testCase, Choices& choices);

}  // namespace fuser::fuzz
