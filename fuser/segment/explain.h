#pragma once
// explainSegments: explains a segmentation: each group, and why it was not merged with its neighbors.

#include <string>

#include "fuser/segment/merging.h"

namespace fuser {

// The segmentation must be finalized. Prints one line per group and, below it, one per neighbor with the reason why the
// two were not merged. Neighbors are groups that exchange a value, read the same tensor or reduce the same axes; each
// pair appears once, at the earlier group:
//   group 0 Reduction {%s}
//     with 1, which reads %s: PointWise: %s is a reduction; Reduction: %d spreads a reduction's result …
//   group 1 PointWise {%u, %d}
// Group numbers are SegmentedGroup::index().
std::string explainSegments(Merger& merger);

}  // namespace fuser
