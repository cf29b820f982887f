#pragma once
// PreSegmenter: runs the passes of pipeline.def in order, each once, before the fusion is segmented.

#include "fuser/passes/passes.h"

namespace fuser {

class PreSegmenter : public OptimizationPass<PreSegmenter> {
 public:
  static std::string_view name() { return "PreSegmenter"; }
  // A UserError if context.options.disabledPasses names an unknown pass.
  using OptimizationPass::runPass;
  static bool runPass(Fusion* fusion, const CompileContext& context, OwnRun);
};

}  // namespace fuser
