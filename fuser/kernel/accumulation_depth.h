#pragma once
// Depth of accumulation, counted from the kernel IR: for each reduction of the kernel the additions (or whatever joins
// two partial results) on the longest path from an operand to the result. The error bound of a sum follows from it
// (oracle/ORACLE.md#5-reductions).
//
// Counted: a Compute that joins an accumulator and an operand adds 1 a turn of the loops around it; a BlockReduce (or
// BlockWelford) over n threads ceil(log2 n); partial results of an rFactor (a reduction whose operand is a reduction's
// result without an origin of its own) go on from their depth. An If counts as taken. Adding the first operand to the
// identity counts.

#include <span>
#include <utility>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

// One entry for each reduction's result among Compute::source and BlockReduce::sourceExpr, by id. intValues: one per
// Kernel::intParams (strides do not matter).
std::vector<std::pair<const TensorView*, int64_t>> accumulationDepth(const Kernel& kernel,
                                                                     std::span<const int64_t> intValues);

}  // namespace fuser
