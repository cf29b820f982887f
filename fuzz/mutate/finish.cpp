// A draft's program, what belongs to its tensors, and its runs: a case.

#include <algorithm>
#include <functional>
#include <memory>

#include "fuser/analysis/standalone_op.h"
#include "fuser/ir/sharding.h"
#include "fuzz/generate/run_sizes.h"
#include "fuzz/generate/streams.h"
#include "fuzz/mutate/check_made.h"
#include "fuzz/mutate/draft.h"
#include "fuzz/mutate/make_program.h"

namespace fuser::fuzz {
namespace {

// Null where the runs do not fit the program, and are rejected for that.
std::unique_ptr<RunSizes> sizesOf(const Case& made) {
  try {
    return std::make_unique<RunSizes>(made);
  } catch (const UserError&) {
    return nullptr;
  }
}

// Whether the axis has such a size in every run, as far as that is known.
bool fits(RunSizes& sizes, const IterDomain* axis, const std::function<bool(int64_t)>& wanted) {
  try {
    return sizes.all(axis->size(), wanted);
  } catch (const UserError&) {
    return false;
  }
}

// What one expression makes, or one input, is in one place: that of the first. Nothing of it runs on streams.
void dropShards(const std::vector<Val*>& tensors, RunSizes* sizes) {
  Sharding sharding = shardingOf(tensors.front()->as<TensorView>());
  const DeviceMesh mesh = tensors.front()->as<TensorView>()->domain().mesh;
  const auto parts = static_cast<int64_t>(sharding.mesh.size());
  const auto isEqual = [&](int64_t size) { return size % parts == 0; };
  if (sharding.axis && sizes && !fits(*sizes, tensors.front()->as<TensorView>()->axes()[*sharding.axis], isEqual)) {
    sharding.axis.reset();
  }
  for (Val* tensor : tensors) {
    setSharding(tensor->as<TensorView>(), sharding);
    tensor->as<TensorView>()->domain().mesh = mesh;
  }
}

// All results of an expression have the axis of whichever was given one.
void dropStreams(const Expr* expr, RunSizes* sizes) {
  bool given = false;
  for (Val* output : expr->outputs()) {
    auto* tensor = output->as<TensorView>();
    const std::optional<size_t> axis = tensor->streamAxis();
    if (!axis) continue;
    const auto isFew = [](int64_t size) { return size <= kMaxTurns; };
    const bool possible =
        !given && whyNoSlices(expr, *axis).empty() && (!sizes || fits(*sizes, tensor->axes()[*axis], isFew));
    if (!possible) tensor->axes()[*axis]->parallelize(ParallelType::Serial);
    given |= possible;
  }
}

void placeAll(const Draft& draft, Case& made) {
  Fusion& fusion = *made.fusion;
  fusion.setMesh(draft.mesh);
  for (Val* val : fusion.usedVals()) {
    const auto found = draft.placements.find(val->name());
    if (val->isTensor() && found != draft.placements.end()) place(val->as<TensorView>(), found->second);
  }
  keepPossibleViews(fusion);
  const std::unique_ptr<RunSizes> sizes = sizesOf(made);
  for (Val* input : fusion.inputs()) {
    if (fusion.hasDevices() && input->isTensor()) dropShards({input}, sizes.get());
  }
  for (const Expr* expr : fusion.exprs()) {
    if (expr->isScalarExpr()) continue;
    fusion.hasDevices() ? dropShards(expr->outputs(), sizes.get()) : dropStreams(expr, sizes.get());
  }
  giveMemory(made, draft.aliases, draft.preallocated);
}

}  // namespace

Case finish(const Draft& draft) {
  FUSER_USER_CHECK(!draft.outputs.empty(), "the draft has no output");
  Case made;
  made.fusion = makeProgram(draft);
  made.options = draft.options;
  made.runs = draft.runs;
  placeAll(draft, made);
  checkSizes(*made.fusion);
  for (const Run& run : made.runs) checkRun(*made.fusion, run);
  return made;
}

}  // namespace fuser::fuzz
