#pragma once
// The compilation pipeline except for the engine: fusion -> passes -> segments -> schedules -> kernels -> host program.

#include <memory>
#include <span>
#include <vector>

#include "fuser/evaluate/run_scalars.h"
#include "fuser/runtime/compiled_program.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

// `inputs`: the program is specialized for their sizes; nullopt: it assumes nothing about sizes, but that those that
// meet are equal. What runs decide about is made concrete first (fuser/evaluate/concretize.h). `layouts` has one
// entry per input; no alignment is assumed for missing ones. `scalars`: of the run for which it is built; null outside
// a run.
std::unique_ptr<CompiledProgram> buildProgram(const Fusion& original, const FusionExecutorCache::Settings& settings,
                                              const std::vector<InputLayout>& layouts,
                                              std::optional<std::span<const HostValue>> inputs,
                                              RunScalars* scalars = nullptr);

}  // namespace fuser
