// PointWise: accepts parts without reductions in which every tensor maps to one reference. It merges the reference's
// axes, in memory order, into one, which it splits into vectors per thread and threads per block:
//   [i0, i1] -> [i0*i1] -> [i0*i1/v/128 (BIDx), 128 (TIDx), v]     v elements a vector where layouts and sizes allow
// Where an input lacks slow axes, blocks have several rows of it (pointwise_tile.h).
// Outputs of other shapes have loops like these over extents of their own, on the same grid, where they share a value
// with the reference, as what is sliced, padded or put together does:
//   %y = neg(%x)   %z = slice(%y) {dim = 1, end = i1 // 2}     %z has the loops of [i0, i1 // 2], and computes neg
//   itself
#include <algorithm>

#include "fuser/schedule/pointwise_facts.h"
#include "fuser/schedule/pointwise_tile.h"
#include "fuser/schedule/scheduler_list.h"
#include "fuser/schedule/vector_plan.h"

namespace fuser {
namespace {

constexpr int64_t kThreads = 128;

void oneLoop(const TensorView* reference, int64_t width, const DeviceProperties& device, Schedule& schedule) {
  if (reference->rank() == 0) return;
  const std::string& name = reference->name();
  reorder(schedule, name, memoryOrder(reference));
  for (size_t i = 1; i < reference->rank(); ++i) schedule.push_back(merge(name, 0));
  if (width > 1) schedule.push_back(split(name, 0, width));
  schedule.push_back(split(name, 0, std::min(kThreads, device.threadsPerBlock)));
  schedule.push_back(parallelize(name, 0, ParallelType::BIDx));
  schedule.push_back(parallelize(name, 1, ParallelType::TIDx));
}

// The loops along a row come first, so that what lacks the rows shares these alone.
void tileLoops(const TensorView* reference, const PointWiseTile& tile, int64_t width, Schedule& schedule) {
  const std::string& name = reference->name();
  reorder(schedule, name, memoryOrder(reference));
  for (size_t i = 1; i < tile.outerAxes; ++i) schedule.push_back(merge(name, 0));
  for (size_t i = tile.outerAxes + 1; i < reference->rank(); ++i) schedule.push_back(merge(name, 1));
  if (width > 1) schedule.push_back(split(name, 1, width));
  schedule.push_back(split(name, 1, tile.threads));
  schedule.push_back(split(name, 0, tile.rows));
  reorder(schedule, name, {2, 3, 0, 1});
  schedule.push_back(parallelize(name, 0, ParallelType::BIDy));
  schedule.push_back(parallelize(name, 1, ParallelType::TIDx));
  schedule.push_back(parallelize(name, 2, ParallelType::BIDx));
  schedule.push_back(parallelize(name, 3, ParallelType::Unroll));
}

// What lacks the rows is loaded once for all of a thread's rows.
void cacheColumns(const PointWiseTile& tile, const VectorPlan& plan, Schedule& schedule) {
  for (const TensorView* input : tile.columnInputs) {
    if (std::find(plan.inputs.begin(), plan.inputs.end(), input->name()) != plan.inputs.end()) continue;
    schedule.push_back(on(TransformKind::CacheAfter, input->name(), input->name() + ".cache"));
  }
}

void keepColumns(const PointWiseTile& tile, Schedule& schedule) {
  for (const TensorView* input : tile.columnInputs) {
    const std::string reader = nameInKernel(input->uses().front()->output());
    schedule.push_back(computeAt(input->name() + ".cache", reader, 2));
  }
}

}  // namespace

std::string whyNotPointWise(const FusionView& whole, std::shared_ptr<const ReferenceMap>& kept) {
  PartLoops loops;
  std::variant<ReferenceMap, std::string> built = mapOfElements(whole, loops);
  if (const std::string* reason = std::get_if<std::string>(&built)) return *reason;
  kept = std::make_shared<ReferenceMap>(std::move(std::get<ReferenceMap>(built)));
  return "";
}

Schedule schedulePointWise(const Fusion& part, SizeFacts* sizes, const std::vector<InputLayout>& layouts,
                           const ReferenceMap* known, const DeviceProperties& device) {
  std::optional<ReferenceMap> built;
  const ReferenceMap& map = knownMap(part, known, built);
  const TensorView* reference = map.reference();
  VectorPlan plan;
  if (reference->rank() > 0) {
    plan = planVectors(part, map, reference->domain().allocationOrder.back(), sizes, layouts, kWidestVector, false);
  }
  const std::optional<PointWiseTile> tile = choosePointWiseTile(part, map, plan.width, sizes, device);
  Schedule schedule;
  for (const std::string& input : plan.inputs) {
    schedule.push_back(on(TransformKind::CacheAfter, input, input + ".cache"));
  }
  if (tile) cacheColumns(*tile, plan, schedule);
  cacheOutputs(part, schedule);
  if (tile) {
    tileLoops(reference, *tile, plan.width, schedule);
  } else {
    oneLoop(reference, plan.width, device, schedule);
  }
  schedule.push_back(on(TransformKind::Propagate, reference->name()));
  schedule.push_back(on(TransformKind::ParallelizeAllLike, reference->name()));
  vectorize(schedule, plan);
  schedule.push_back(on(TransformKind::InlineMost, ""));
  if (tile) keepColumns(*tile, schedule);
  return schedule;
}

}  // namespace fuser
