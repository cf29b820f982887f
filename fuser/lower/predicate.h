#pragma once
// The one place that decides predicates: a missing one writes out of bounds, a wrong one leaves elements unwritten.

#include "fuser/lower/loop_nest.h"

namespace fuser {

// When a thread computes an element of the tensor, as a condition over the loops' indices: inside every axis whose
// split does not divide it, inside the extents of its thread and block axes; and, for a tensor in global memory, once:
// at index 0 of the thread and block dimensions that it does not use, and of the axes that it has only by broadcasting.
IntExpr predicateOf(const TensorView* tensor, const LoopNest& nest, Kernel& kernel);

}  // namespace fuser
