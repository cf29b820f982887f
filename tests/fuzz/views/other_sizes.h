#pragma once
// A case at other sizes, which the program of its own sizes may take, too.

#include "fuser/case/case.h"

namespace fuser::fuzz {

// Each symbol of the inputs' axes is drawn, and so are integers, which sizes may come of. It may be a case that its
// fusion rejects.
Case atOtherSizes(const Case& testCase, uint64_t draw);

}  // namespace fuser::fuzz
