#pragma once
// Checks that a case built from data can be printed and parsed. The builders check the types of its program; these
// check the rest. A UserError names the broken rule.

#include "fuser/case/case.h"

namespace fuser::fuzz {

// Checks every size of the program against fuser/text/limits.h: terms (fuser/types/term_count.h), depth and numbers.
void checkSizes(const Fusion& fusion);

// Checks that the run has a value of the right kind for each input: a scalar of its dtype, or a tensor whose strides,
// offset and recipe are valid. (Running checks sizes, dtype and rank.)
void checkRun(const Fusion& fusion, const Run& run);

// Checks that each step of a schedule for the whole fusion names tensors of the program or of earlier steps, and that
// each tensor it creates has a new name.
void checkSchedule(const Fusion& fusion, const Schedule& schedule);

}  // namespace fuser::fuzz
