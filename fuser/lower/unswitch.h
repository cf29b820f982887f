#pragma once
// The condition of an unswitched loop: where it holds, no iteration needs a predicate.

#include <set>

#include "fuser/kernel/kernel.h"

namespace fuser {

// A condition without these loops' indices under which this one holds in all of their iterations: that of the last
// ones, where the compared side grows with the loops. Null where it is not known to.
IntExpr inAllIterations(IntExprArena& ints, IntExpr condition, const std::set<IntExpr>& loops);

}  // namespace fuser
