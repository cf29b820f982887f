#pragma once
// accumulationDepth: for each reduction and scan of a kernel, how many additions (or other combining ops) lie on the
// longest path from an operand to the result, counted from the kernel IR. Error bounds follow from it
// (oracle/ORACLE.md#5-reductions).
//
// Rules: a Compute that combines an accumulator with an operand, or with a product by an fma, is one update per
// iteration of the loops around it, except loops whose index selects the accumulator. One that combines two partial
// results is a join, and so is a JoinWelford; partial results keep their depth through Moves and Shuffles. A reduction
// of an rFactor's partial results (an operand that is the result of a reduction and has no origin) continues at their
// depth. An If counts as taken. Combining the first operand with the identity counts.

#include <span>
#include <utility>
#include <vector>

#include "fuser/kernel/kernel.h"
#include "fuser/types/reduction_depth.h"

namespace fuser {

// Returns (result, depth) for each reduction and scan named by Compute::source or JoinWelford::sourceExpr, by id.
// intValues has one entry per Kernel::intParams; strides are ignored.
std::vector<std::pair<const TensorView*, ReductionDepth>> accumulationDepth(const Kernel& kernel,
                                                                            std::span<const int64_t> intValues);

}  // namespace fuser
