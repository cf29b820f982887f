#pragma once
// Which groups a program has: the segments; one segment where a schedule for the whole fusion is given; finer ones
// where every tensor is probed.

#include <memory>
#include <vector>

#include "fuser/analysis/compile_context.h"
#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/segment/segmented_fusion.h"

namespace fuser {

// All host scalars in one group and all tensor expressions in another, whose type is None; dead code left out.
std::unique_ptr<SegmentedFusion> segmentAsOne(const Fusion& fusion);

// Whether a scheduler takes the group as it is; then the group has its type, and what its answer kept.
bool accept(HostGroup& group, const Fusion& fusion, const CompileContext& context);

// One group a segment, without part and kernel. With probes, every tensor of a segment becomes an output of it, so that
// each op can be judged from exact operands; a segment that no scheduler takes so (or whose schedule is given: it was
// made for other outputs) becomes one group an expression. All groups of a segment have its index.
std::vector<HostGroup> planGroups(const SegmentedFusion& segmented, const CompileContext& context, bool scheduleGiven);

}  // namespace fuser
