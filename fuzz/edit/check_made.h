#pragma once
// What a case that is made of data must keep so that its text reads back: the builders see to its program's types, and
// these to the rest. A UserError says what is broken.

#include "fuser/case/case.h"

namespace fuser::fuzz {

// Every size of the program keeps within fuser/text/limits.h: terms (fuser/types/term_count.h), depth and numbers.
void checkSizes(const Fusion& fusion);

// The run gives each input a value of its kind: a scalar of its dtype, or a tensor whose strides, offset and recipe
// make sense by themselves. (Whether sizes, dtype and rank fit the input is for the run to see.)
void checkRun(const Fusion& fusion, const Run& run);

// Each step of a schedule of the whole fusion names tensors of the program, or those that steps before it made; what it
// makes has a name of its own.
void checkSchedule(const Fusion& fusion, const Schedule& schedule);

}  // namespace fuser::fuzz
