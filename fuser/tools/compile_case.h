#pragma once
// Compiles a case for the sizes of its first run, or for any sizes if it has no run, and counts its segments.

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

// Calls the settings' observers at each stage.
void compileCase(const Case& testCase, const FusionExecutorCache::Settings& settings);

// Prints one line per case: its name, its segments and kernels with and without the top-down phase; then the totals.
void countSegments(const std::vector<std::pair<std::string, Case>>& cases, std::ostream& out);

}  // namespace fuser
