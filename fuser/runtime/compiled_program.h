#pragma once
// CompiledProgram: the results of all stages for one fusion, kept while the program may run.

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

// The questions about sizes that compilation asked, and the answers: the guards of a program.
using SizeAnswers = std::vector<std::pair<SizeFacts::Question, bool>>;
// Whether the questions have the same answers for the sizes to which the evaluator is bound.
bool answersHold(const SizeAnswers& answers, ExpressionEvaluator& evaluator);
// The first answer that these sizes do not have, as they answer it: "i0 is more than 1024". "" where all hold.
std::string otherAnswer(const SizeAnswers& answers, const Fusion& fusion, ExpressionEvaluator& evaluator);

struct CompiledProgram {
  std::unique_ptr<Fusion> fusion;  // the clone of the original after the passes; origins refer to the original
  std::unique_ptr<SegmentedFusion> segmented;
  std::vector<std::unique_ptr<ClonedPart>> parts;  // one per kernel, scheduled
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<std::unique_ptr<SegmentCache>> caches;  // for segments that no scheduler accepts
  std::unique_ptr<HostIrContainer> host;
  std::vector<std::unique_ptr<CompiledKernel>> compiled;  // one per kernel; empty until the engine has compiled them

  std::shared_ptr<MemoryPool> memory;  // device memory, if the program has streams and the engine has a device

  // An evaluator bound to the inputs for which the program was compiled, with the scalars of the run that compiled it,
  // which takes it.
  std::optional<ExpressionEvaluator> bound;

  SizeAnswers sizesAsked;  // over this fusion's extents; the program is valid for all sizes with these answers
};

}  // namespace fuser
