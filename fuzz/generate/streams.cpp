// Stream axes, drawn.

#include "fuzz/generate/streams.h"

#include <algorithm>

#include "fuser/analysis/resharding.h"
#include "fuser/ir/updates.h"
#include "fuzz/generate/run_sizes.h"

namespace fuser::fuzz {
namespace {

// Mostly others than what is drawn without the option (1 to 5).
const std::vector<int64_t> kNumbersOfStreams = {1, 2, 6, 7, 8, 16};

}  // namespace

bool spreadOverStreams(Case& testCase, Choices& choices, int64_t maxTurns) {
  if (testCase.schedule || !testCase.segmentSchedules.empty()) return false;
  if (testCase.fusion->hasStreams()) return false;
  if (hasUpdates(*testCase.fusion)) return false;
  RunSizes sizes(testCase);
  const double share = choices.chance(0.5) ? 0.9 : 0.5;
  bool changed = false;
  for (const Expr* expr : testCase.fusion->exprs()) {
    if (expr->isScalarExpr()) continue;
    const std::vector<IterDomain*> axes = expr->output()->as<TensorView>()->axes();
    std::vector<IterDomain*> fitting;
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const bool few = sizes.all(axes[axis]->size(), [&](int64_t size) { return size <= maxTurns; });
      if (few && whyNoStreamAxis(expr, axis).empty()) fitting.push_back(axes[axis]);
    }
    if (fitting.empty() || !choices.chance(share)) continue;
    // Outer axes mostly: neighbours that take the same one share a loop.
    (choices.chance(0.7) ? fitting.front() : choices.pick(fitting))->parallelize(ParallelType::Stream);
    changed = true;
  }
  if (changed && choices.chance(0.3)) testCase.options.streams = choices.pick(kNumbersOfStreams);
  return changed;
}

}  // namespace fuser::fuzz
