// An edit's program, what belongs to its tensors, and its runs: a case.

#include <algorithm>
#include <functional>
#include <memory>

#include "fuser/analysis/resharding.h"
#include "fuser/ir/sharding.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/edit/case_edit.h"
#include "fuzz/edit/check_made.h"
#include "fuzz/edit/make_program.h"
#include "fuzz/generate/fit_indices.h"
#include "fuzz/generate/possible_views.h"
#include "fuzz/generate/run_sizes.h"
#include "fuzz/generate/streams.h"

namespace fuser::fuzz {
namespace {

// Null where the runs do not fit the program, and are rejected for that.
std::unique_ptr<RunSizes> sizesOf(const Case& testCase) {
  try {
    return std::make_unique<RunSizes>(testCase);
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return nullptr;
  }
}

// Whether the axis has such a size in every run, as far as that is known.
bool fits(RunSizes& sizes, const IterDomain* axis, const std::function<bool(int64_t)>& wanted) {
  try {
    return sizes.all(axis->size(), wanted);
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
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
  bool hasAxis = false;
  for (Val* output : expr->outputs()) {
    auto* tensor = output->as<TensorView>();
    const std::optional<size_t> axis = tensor->streamAxis();
    if (!axis) continue;
    const auto isFew = [](int64_t size) { return size <= kMaxTurns; };
    const bool possible =
        !hasAxis && whyNoStreamAxis(expr, *axis).empty() && (!sizes || fits(*sizes, tensor->axes()[*axis], isFew));
    if (!possible) tensor->axes()[*axis]->parallelize(ParallelType::Serial);
    hasAxis |= possible;
  }
}

void placeAll(const CaseEdit& edit, Fusion& fusion) {
  fusion.setMesh(edit.mesh);
  for (Val* val : fusion.usedVals()) {
    const auto found = edit.placements.find(val->name());
    if (val->isTensor() && found != edit.placements.end()) applyPlacement(val->as<TensorView>(), found->second);
  }
  keepPossibleViews(fusion);
}

void dropUnsuited(Case& testCase) {
  Fusion& fusion = *testCase.fusion;
  const std::unique_ptr<RunSizes> sizes = sizesOf(testCase);
  for (Val* input : fusion.inputs()) {
    if (fusion.hasDevices() && input->isTensor()) dropShards({input}, sizes.get());
  }
  for (const Expr* expr : fusion.exprs()) {
    if (expr->isScalarExpr()) continue;
    if (fusion.hasDevices()) dropShards(expr->outputs(), sizes.get());
    dropStreams(expr, sizes.get());
  }
}

}  // namespace

Case finish(const CaseEdit& edit) {
  Case testCase;
  testCase.fusion = makeProgram(edit);
  testCase.metadata = edit.metadata;
  testCase.options = edit.options;
  testCase.schedule = edit.schedule;
  testCase.segmentSchedules = edit.segmentSchedules;
  testCase.runs = edit.runs;
  placeAll(edit, *testCase.fusion);
  if (edit.dropUnsuited) dropUnsuited(testCase);
  fitIndices(testCase);
  attachMemory(testCase, edit.aliases, edit.preallocated);
  checkSizes(*testCase.fusion);
  if (testCase.schedule) checkSchedule(*testCase.fusion, *testCase.schedule);
  for (const Run& run : testCase.runs) checkRun(*testCase.fusion, run);
  return testCase;
}

}  // namespace fuser::fuzz
