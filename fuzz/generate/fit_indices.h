#pragma once
// Indices that fit the sizes of the runs, where an edit or a move to an edge changed those.

#include "fuser/case/case.h"

namespace fuser::fuzz {

// What inputs give as indices (of gather), through views, is brought into the range of the axis that they index, in
// each run that is not to be rejected; where it is, a bad index stays one. A run whose axis has no element may be
// rejected. Sizes that scalars set are left out.
void fitIndices(Case& testCase);

// Where indices are numbers of the program's own, as those of as_strided, a run whose axis is shorter than in each of
// the runs that they were made for may be rejected. before: those runs, of the same program.
void allowShortAxes(Case& testCase, const std::vector<Run>& before);

}  // namespace fuser::fuzz
