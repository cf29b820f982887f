#pragma once
// A part that no scheduler takes as a whole often has reductions of several shapes, each of which is one kernel with
// what it is computed from and what reads it:
//   c = mean(p) {1}, dx = r - c; v = var(g) {0}    =>    p c r dx | g v
// Merging pairs does not lead to kernels that keep rows on chip then: each pair on the way would have to be one.

#include "fuser/segment/segmented_fusion.h"

namespace fuser {

// Pieces of the part, in topological order; no cycle goes through them and what is left of the part. Each has the
// reductions of one shape (the extents of their operand, and which of them are reduced), what depends on these and on
// no others, and what both are computed from and no piece before has; connected. Only those in which something spreads
// a result over the reduced axes again. None if the part has reductions of one shape, or of more than kMostShapes.
std::vector<std::vector<Expr*>> splitByReductions(const SegmentedFusion& segmented, const std::vector<Expr*>& part);

constexpr size_t kMostShapes = 8;

}  // namespace fuser
