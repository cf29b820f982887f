#pragma once
// The merging phase's two ways: whole parts first, then pairs of groups.

#include "fuser/segment/cuts.h"
#include "fuser/segment/group_order.h"
#include "fuser/segment/scheduler_answers.h"
#include "fuser/segment/segment_candidate_finder.h"

namespace fuser {

// Before: one group an expression (and any scalar groups), in topological order. After: the whole of the tensor
// expressions is one group where some scheduler takes it and nothing cuts it; otherwise so is each part between cuts
// that some scheduler takes whole, where the graph of the parts is acyclic; the other expressions are as before. The
// groups are in topological order. True when all tensor expressions ended in one group: nothing is left to merge.
bool mergeTopDown(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts);

// Which pairs of tensor groups may merge, as far as the graph allows it.
using MayMerge = std::function<bool(SegmentedGroup* earlier, SegmentedGroup* later)>;

// Before: groups in topological order. Merges pairs that share an edge, then pairs that read the same tensor (of each
// tensor's readers, each with the few next ones), until no pair is left that the graph and mayMerge allow. No pair is
// tried twice unless one of the two has grown since. afterMerge sees each merged group; may be empty.
void mergePairs(SegmentedFusion& segmented, const MayMerge& mayMerge,
                const std::function<void(SegmentedGroup*)>& afterMerge = {});

}  // namespace fuser
