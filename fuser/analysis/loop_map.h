#pragma once
// When loops of a producer and a consumer are the same loop: built by the same transforms from axes that correspond.

#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// The position in consumer.loopRoot that corresponds to each entry of producer.loopRoot, or -1: by reference position
// where a `propagate` aligned both, else by the op's axis map.
std::vector<int> matchLoopRoots(const TensorView* producer, const Expr* use);

// How many leading loops the two can share: equal transforms of corresponding axes, no reduction axis of the producer,
// nothing vectorised, equal parallel types.
size_t sharableLoops(const TensorView* producer, const Expr* use);

// The loopRoot positions that a loop axis is made of.
std::vector<size_t> rootsOf(const TensorView* tensor, const IterDomain* loopAxis);

}  // namespace fuser
