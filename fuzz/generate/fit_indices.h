#pragma once
// Indices that fit the sizes of the runs, where an edit or a move to an edge changed those.

#include "fuser/case/case.h"

namespace fuser::fuzz {

// What inputs give as indices (of gather), through views, is brought into the range of the axis that they index, in
// each run that is not to be rejected; where it is, a bad index stays one. A run whose axis has no element may be
// rejected. Sizes that scalars set are left out.
void fitIndices(Case& testCase);

}  // namespace fuser::fuzz
