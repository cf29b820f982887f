#pragma once
// predicateOf: the only code that decides predicates. Too weak, it writes out of bounds; too strong, it skips elements.

#include "fuser/lower/loop_nest.h"

namespace fuser {

// The condition, over loop indices, under which a thread computes an element of the tensor: the coordinates are inside
// every axis that a split does not divide, and inside the extents of thread and block axes. A tensor in global memory
// is written once: at index 0 of unused thread and block dimensions and of broadcast axes in a consumer's loop.
IntExpr predicateOf(const TensorView* tensor, const LoopNest& nest, Kernel& kernel);

}  // namespace fuser
