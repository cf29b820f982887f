#pragma once
// A .fusion case -> what a FusionExecutorCache takes.

#include <vector>

#include "fuser/case/case.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

// Options and schedules of the case. A UserError names the place of `option disable pass NAME` where no pass has the name.
FusionExecutorCache::Settings settingsOf(const Case& testCase);

// One value an input; the memory stays the RunData's.
std::vector<HostValue> hostValues(const RunData& data);

}  // namespace fuser
