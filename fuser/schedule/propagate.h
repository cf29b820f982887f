#pragma once
// Loop transforms of one tensor and their replay on all others (nvFuser's TransformReplay): a scheduler transforms only
// the reference's loops, and every other tensor of the part follows.

#include "fuser/ir/fusion.h"

namespace fuser {

// Splits a loop axis into outer and inner, where inner has extent `factor`. `axis` is a valid index into domain.loop.
// The outer extent is rounded up; predicates mask the iterations past the end.
void splitAxis(Fusion& part, TensorDomain& domain, size_t axis, int64_t factor);
// Gives a loop axis of at most `factor` elements the constant extent `factor`; predicates mask the iterations past the
// end.
void boundAxis(Fusion& part, TensorDomain& domain, size_t axis, int64_t factor);
// Merges the loop axes `axis` and `axis` + 1. A UserError for a reduction axis and an iteration axis.
void mergeAxes(Fusion& part, TensorDomain& domain, size_t axis);

// Gives every other tensor the reference's loops, with a broadcast axis for each axis of the reference that it lacks,
// so that it can be computed in those loops. A tensor with none of the reduced axes gets no loops for them, unless it
// is to follow them. Broadcast axes that the reference lacks get no loop. What is computed inline alone keeps the loops
// that it does not need. A UserError if there is no ReferenceMap, the reference already follows another tensor, or what
// is to follow the reduced axes is an output or read without loops over them.
void propagate(Fusion& part, TensorView* reference);

// Puts the second and further results of the expression, or of each expression of the part, into the loops of its first
// result, whose axes they share.
void shareLoopsOfResults(const Expr* expr);
void shareLoopsOfResults(const Fusion& part);

// Copies the reference's parallel types to the loop axes of every other tensor that were propagated from them, except
// Vectorize, which a schedule must set per tensor.
void parallelizeAllLike(Fusion& part, TensorView* reference);

}  // namespace fuser
