#pragma once
// explainSegments: why a segmentation is as it is, for a person.

#include <string>

#include "fuser/segment/merging.h"

namespace fuser {

// Of a finalised segmentation, one line a group and one a neighbour (a group that it exchanges a value with, or that
// reads the same tensor, or that reduces the same axes; each pair once, at the earlier group) with the reason why the
// two are not one:
//   group 0 Reduction {%s}
//     with 1, which reads %s: PointWise: %s is a reduction; Reduction: %d spreads a reduction's result …
//   group 1 PointWise {%u, %d}
// Groups are numbered as SegmentedFusion::toString does.
std::string explainSegments(Merger& merger);

}  // namespace fuser
