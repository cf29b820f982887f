#pragma once
// Loop transforms on one tensor, and their replay on all others: a scheduler shapes the reference's loops alone, and
// every tensor of the part follows.

#include "fuser/ir/fusion.h"

namespace fuser {

// axis -> outer, inner (of extent factor, a number of elements); `axis` counts domain.loop from 0, as the caller has
// checked. The outer extent is rounded up: predicates keep what lies behind the end from being computed. A UserError
// names the rule that is broken.
void splitAxis(Fusion& part, TensorDomain& domain, size_t axis, int64_t factor);
// axis, axis + 1 -> one. A reduction axis merges with reduction axes only.
void mergeAxes(Fusion& part, TensorDomain& domain, size_t axis);

// Gives every other tensor the reference's loops. Axes of the reference that a tensor lacks get a broadcast stand-in,
// so that it can be computed inside the reference's loops; but a tensor without any of the reduced axes gets none for
// those: it is computed outside the reduction's loops. Broadcast axes that the reference lacks get no loop.
void propagate(Fusion& part, TensorView* reference);

// The further results of each expression run in the loops of its first one: they share its axes.
void shareLoopsOfResults(Fusion& part);

// Every other tensor's loop axes get the parallel types of the reference's axes that they were propagated from;
// Vectorize stays where a schedule puts it by name.
void parallelizeAllLike(Fusion& part, TensorView* reference);

}  // namespace fuser
