#pragma once
// PreSegmenter: what is done to a fusion before it is segmented: the passes of pipeline.def, in that order, each once.

#include "fuser/passes/passes.h"

namespace fuser {

class PreSegmenter : public OptimizationPass<PreSegmenter> {
 public:
  static std::string_view name() { return "PreSegmenter"; }
  // A UserError where context.options.disabledPasses names a pass that does not exist.
  using OptimizationPass::runPass;
  static bool runPass(Fusion* fusion, const CompileContext& context, OwnRun);
};

}  // namespace fuser
