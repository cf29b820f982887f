#pragma once
// When loops of a producer and a consumer are the same loop: built by the same transforms from axes that correspond.
// ComputeAt, InlineMost and lowering ask here, so that what a schedule calls legal is what lowering can build.
//
// use: an expression that reads `producer` and whose first result is the consumer. Both tensors may have a schedule.

#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// The position in consumer.loopRoot that corresponds to each entry of producer.loopRoot, or -1: by reference position
// where a `propagate` aligned both, else by the op's axis map.
std::vector<int> matchLoopRoots(const TensorView* producer, const Expr* use);

// How many leading entries of producer.loop and consumer.loop the two can share: equal transforms of corresponding
// axes, no reduction axis of the producer, nothing vectorised, equal parallel types.
size_t sharableLoops(const TensorView* producer, const Expr* use);

// The loopRoot positions that a loop axis is made of, outer before inner, through all splits and merges; a position
// stands twice where both parts of a split were merged. A CheckError for an axis of another tensor.
std::vector<size_t> rootsOf(const TensorView* tensor, const IterDomain* loopAxis);

}  // namespace fuser
