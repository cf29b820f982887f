#pragma once
// Decides which loops a producer and a consumer can share: those built by equal transforms from axes that map to each
// other. ComputeAt, InlineMost and lowering all use these functions, so that lowering can build every legal schedule.
//
// `use` is an expression that reads `producer`; its first result is the consumer. Both tensors may be scheduled.

#include <optional>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// For each entry of producer.loopRoot, the index of its counterpart in consumer.loopRoot, or -1. Uses the reference
// positions if a `propagate` aligned both tensors, otherwise the op's axis map.
std::vector<int> matchLoopRoots(const TensorView* producer, const Expr* use);

// The number of leading loops that the two can share. Shared loops have equal transforms of corresponding axes, equal
// parallel types, no reduction axis of the producer, and are not vectorized; none inside the blocks of a scan.
size_t sharableLoops(const TensorView* producer, const Expr* use);

// The loopRoot positions that a loop axis is made of, through all splits and merges, each once, from low to high. A
// CheckError for an axis of another tensor.
std::vector<size_t> rootsOf(const TensorView* tensor, const IterDomain* loopAxis);

// The axis of loopRoot along which consecutive turns of the loop take neighbours, as far as its rows go: the inner part
// of splits and merges. Null if turns skip elements: an outer part of a split.
const IterDomain* innermostRootOf(const TensorView* tensor, const IterDomain* loopAxis);

// The innermost serial loop that the tensor shares with its readers, an index into its loop domain: one of several
// turns, if there is one. Only loops on threads and blocks, and along axes of one element of the tensor, are inside.
std::optional<size_t> serialLoopAround(const TensorView* tensor);

}  // namespace fuser
