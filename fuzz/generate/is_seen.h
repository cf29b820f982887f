#pragma once

#include "fuser/ir/fusion.h"

namespace fuser::fuzz {

// Whether what an element of the tensor holds, whichever it is, is to be seen in an output, or in an error: it is
// handed on by ops that read each element of their operand.
bool isSeen(const TensorView* tensor);

}  // namespace fuser::fuzz
