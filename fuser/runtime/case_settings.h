#pragma once
// Converts a .fusion case to the settings, inputs and output buffers of a FusionExecutorCache.

#include <vector>

#include "fuser/case/case.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

// Chooses numberOfStreams, 1 to 5 unless `option streams` says it, and the order in which streams run. Both are drawn
// from the first seed among the first run's recipes, so that cases differ but every run of a case is the same.
// (Minimizing keeps both as long as it keeps that seed, and what the option says in any case that needs it.)
StreamSettings drawnStreams(const Case& testCase);

// The case's options, schedules, streams, aliases and preallocated outputs. A UserError for an invalid alias or output,
// and, with its position in the file, for `option disable pass NAME` with an unknown pass.
FusionExecutorCache::Settings settingsOf(const Case& testCase);

// The output buffers that the case preallocates. `sizes` is over the case's fusion, bound to the inputs.
struct OutputMemory {
  std::vector<std::optional<TensorRef>> refs;  // one entry per fusion output; empty if nothing is preallocated
  std::vector<TensorData> blocks;              // one per entry of Case::preallocated
};
OutputMemory outputMemory(const Case& testCase, ExpressionEvaluator& sizes, size_t maxBytes = size_t{1} << 31);
// The same for a caller without an evaluator.
OutputMemory outputMemory(const Case& testCase, const std::vector<HostValue>& inputs,
                          size_t maxBytes = size_t{1} << 31);

// One value per input; RunData keeps ownership of the memory.
std::vector<HostValue> hostValues(const RunData& data);

}  // namespace fuser
