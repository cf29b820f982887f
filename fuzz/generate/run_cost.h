#pragma once
// runCost(): how much a run computes.

#include "fuser/case/case.h"

namespace fuser::fuzz {

// The elements of all tensors in a run; of a scatter, which goes through the indices of its column at each place, a
// quarter of the turns. A UserError if the run's sizes do not fit the program.
double runCost(const Case& testCase, const Run& run);

}  // namespace fuser::fuzz
