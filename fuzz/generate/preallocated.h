#pragma once
// Memory of the caller's for a case's outputs.

#include "fuser/case/case.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

// Memory for the output, in any order of axes, with gaps, misaligned.
PreallocatedOutput drawMemory(const TensorView* output, Choices& choices);

// Most outputs that may have it get memory. False, and nothing is changed, where
// none may.
bool preallocateOutputs(Case& testCase, Choices& choices);

}  // namespace fuser::fuzz
