#pragma once
// predicateOf: the only code that decides predicates. A predicate that is too weak writes out of bounds; one that is
// too strong skips elements.

#include <cstddef>
#include <set>

#include "fuser/lower/loop_nest.h"

namespace fuser {

// The condition, over loop indices, under which a thread computes an element of the tensor: the coordinates are inside
// every axis that a split does not divide evenly, and inside the extents of thread and block axes. A tensor in global
// memory is written once: at index 0 of unused thread and block dimensions and of broadcast axes in a consumer's loop.
IntExpr predicateOf(const TensorView* tensor, const LoopNest& nest, Kernel& kernel);

// The loop roots of a tensor on chip that its predicate says nothing of: it has one turn along them, the first, where
// its readers have all, and is computed wherever.
std::set<size_t> rootsWithoutTurns(const TensorView* tensor, const LoopNest& nest);

}  // namespace fuser
