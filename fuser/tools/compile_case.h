#pragma once
// Compiles a case for the sizes of its first run, or for any where it has none; and counts what came of it.

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

// The settings' observers see the stages.
void compileCase(const Case& testCase, const FusionExecutorCache::Settings& settings);

// One line a case, with its name: segments and kernels with the segmenter's top-down phase and without it, and a sum.
void countSegments(const std::vector<std::pair<std::string, Case>>& cases, std::ostream& out);

}  // namespace fuser
