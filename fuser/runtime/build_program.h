#pragma once
// The pipeline, but for the engine: original fusion -> passes -> segments -> schedules -> kernels -> host program.

#include <memory>
#include <span>
#include <vector>

#include "fuser/runtime/compiled_program.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

// inputs: what the program is compiled for; without a value nothing is assumed of sizes. layouts: one entry an input;
// where one is missing, no alignment is assumed.
std::unique_ptr<CompiledProgram> buildProgram(const Fusion& original, const FusionExecutorCache::Settings& settings,
                                              const std::vector<InputLayout>& layouts,
                                              std::optional<std::span<const HostValue>> inputs);

}  // namespace fuser
