#pragma once
// Plans the groups of a program: normally the segments; one group with a schedule for the whole fusion; finer groups
// with probes.

#include <memory>
#include <vector>

#include "fuser/analysis/compile_context.h"
#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/segment/segmented_fusion.h"

namespace fuser {

// Puts all host scalars into one group and all tensor expressions into another of type None, without dead code.
std::unique_ptr<SegmentedFusion> segmentAsOne(const Fusion& fusion);

// Whether a scheduler accepts the group; if so, stores its type and reference map in the group.
bool accept(HostGroup& group, const Fusion& fusion, const CompileContext& context);

// Returns one group per segment, without part and kernel. With probes, every tensor of a segment becomes an output, so
// that each op can be judged from exact operands. If no scheduler accepts that, or the segment has a given schedule,
// which was made for other outputs, it becomes one group per expression. All groups of a segment have its index.
std::vector<HostGroup> planGroups(const SegmentedFusion& segmented, const CompileContext& context, bool hasSchedule);

}  // namespace fuser
