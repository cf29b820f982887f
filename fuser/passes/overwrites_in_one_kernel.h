#pragma once
// Whether an output can be written over an input by the kernel that computes it.

#include "fuser/analysis/compile_context.h"
#include "fuser/ir/fusion.h"

namespace fuser {

// Whether the output, by number, depends on every reader of the input, and everything derived from the input is
// pointwise over the input's own axes, or a scheduler makes one kernel of it that keeps rows: such a kernel reads each
// element before it overwrites it. Also true of an output that is known to be empty: it overwrites nothing.
bool overwritesInOneKernel(const Fusion& fusion, size_t output, const Val* input, const CompileContext& context);

}  // namespace fuser
