#pragma once
// CompiledProgram: what the stages made of a fusion, kept for as long as it may run.

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fuser/analysis/fusion_view.h"
#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/execute/engine.h"
#include "fuser/host_ir/host_ir_container.h"
#include "fuser/host_run/memory_pool.h"
#include "fuser/ir/clone.h"
#include "fuser/runtime/segment_cache.h"
#include "fuser/segment/segmented_fusion.h"

namespace fuser {

// What compilation asked of sizes, and the answers.
using SizeAnswers = std::vector<std::pair<SizeFacts::Question, bool>>;
// Whether the questions have these answers for the sizes that the evaluator is bound to.
bool answersHold(const SizeAnswers& answers, ExpressionEvaluator& evaluator);

struct CompiledProgram {
  std::unique_ptr<Fusion> fusion;  // the original's clone after the passes; origins name values of the original
  std::unique_ptr<SegmentedFusion> segmented;
  std::vector<std::unique_ptr<ClonedPart>> parts;  // one a kernel, scheduled
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<std::unique_ptr<SegmentCache>> caches;  // of segments that no scheduler takes as they are
  std::unique_ptr<HostIrContainer> host;
  std::vector<std::unique_ptr<CompiledKernel>> compiled;  // one a kernel; empty before the engine had them

  std::shared_ptr<MemoryPool> memory;  // a device's, if the program has streams and the engine a device

  // Over this fusion, bound to the inputs that it was made for and asked nothing yet, until the run with them takes it.
  std::optional<ExpressionEvaluator> bound;

  SizeAnswers sizesAsked;  // over this fusion's extents: the program is right for all sizes with these answers
};

}  // namespace fuser
