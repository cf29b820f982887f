#pragma once
// Draws caller-provided output buffers for a case.

#include "fuser/case/case.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

// Draws a buffer for the output, possibly with another axis order, gaps and misalignment.
PreallocatedOutput drawMemory(const TensorView* output, Choices& choices);

// Gives buffers to most outputs that may have one. Returns false, without changes, if none may.
bool preallocateOutputs(Case& testCase, Choices& choices);

}  // namespace fuser::fuzz
