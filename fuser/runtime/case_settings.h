#pragma once
// A .fusion case -> what a FusionExecutorCache takes.

#include <vector>

#include "fuser/case/case.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

// How many streams the loops of the case's host program have, 1 to 5, and in which order their work is done: drawn from
// the seed of the first input's data that has one, so that cases differ, and whoever runs a case runs it alike. (A case
// that is made smaller keeps both while it keeps that seed.)
StreamSettings drawnStreams(const Case& testCase);

// Options, schedules and streams of the case. A UserError names the place of `option disable pass NAME` where no pass
// has the name.
FusionExecutorCache::Settings settingsOf(const Case& testCase);

// The caller's memory for outputs, as the case has it for these sizes: over its fusion, bound to the inputs.
struct OutputMemory {
  std::vector<std::optional<TensorRef>> refs;  // one entry an output of the fusion; empty where nothing is preallocated
  std::vector<TensorData> blocks;              // one an entry of Case::preallocated
};
OutputMemory outputMemory(const Case& testCase, ExpressionEvaluator& sizes, size_t maxBytes = size_t{1} << 31);
// The same for a caller that has bound no sizes.
OutputMemory outputMemory(const Case& testCase, const std::vector<HostValue>& inputs,
                          size_t maxBytes = size_t{1} << 31);

// One value an input; the memory stays the RunData's.
std::vector<HostValue> hostValues(const RunData& data);

}  // namespace fuser
