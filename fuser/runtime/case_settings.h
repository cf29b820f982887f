#pragma once
// A .fusion case -> what a FusionExecutorCache takes.

#include <vector>

#include "fuser/case/case.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

// Options and schedules of the case. A UserError names the place of `option disable pass NAME` where no pass has the
// name.
FusionExecutorCache::Settings settingsOf(const Case& testCase);

// The caller's memory for outputs, as the case has it for these inputs.
struct OutputMemory {
  std::vector<std::optional<TensorRef>> refs;  // one entry an output of the fusion; empty where nothing is preallocated
  std::vector<TensorData> blocks;              // one an entry of Case::preallocated
};
OutputMemory outputMemory(const Case& testCase, const std::vector<HostValue>& inputs,
                          size_t maxBytes = size_t{1} << 31);

// One value an input; the memory stays the RunData's.
std::vector<HostValue> hostValues(const RunData& data);

}  // namespace fuser
