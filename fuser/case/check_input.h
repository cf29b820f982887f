#pragma once
// Whether a run can give an input its tensor, asked before there is any memory for it.

#include "fuser/case/case.h"

namespace fuser {

// A UserError if dtype, sizes, strides, offset or recipe do not fit the input, or it spans too many elements in memory.
void checkInput(const TensorView* tensor, const RunInput& run, const TensorInput& input);

}  // namespace fuser
