#pragma once
// The width of a kernel's indices that its first launch will have, foretold while the program is built: so the kernel
// of that width is compiled together with the others. Each launch decides again, with what it gets (HostIrEvaluator).

#include <span>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/record/run_record.h"

namespace fuser {

// Whether the indices of a launch fit in 32 bits (whyNotNarrow) with these inputs of the fusion, which bind `sizes`:
// extents as they are, strides of inputs as they are, those of other tensors dense. `kernel` is lowered from `part`. A
// size that cannot be evaluated is no error here: then it does not fit.
bool willFitNarrow(const Kernel& kernel, const ClonedPart& part, Fusion& fusion, std::span<const HostValue> inputs,
                   ExpressionEvaluator& sizes);

}  // namespace fuser
