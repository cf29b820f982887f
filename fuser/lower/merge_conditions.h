#pragma once
// MergeConditions: if (c) { a } if (c) { b }  ->  if (c) { a; b }
// Conditions read indices and parameters alone, so that no statement between changes them.

#include "fuser/kernel/kernel.h"

namespace fuser {

void mergeConditions(Body& body);

}  // namespace fuser
