// PointWise: accepts parts without reductions in which every tensor maps to one reference. It merges the reference's
// axes, in memory order, into one, which it splits into vectors per thread and threads per block:
//   [i0, i1] -> [i0*i1] -> [i0*i1/v/128 (BIDx), 128 (TIDx), v]     v elements a vector where layouts and sizes allow
// Outputs of other shapes have loops like these over extents of their own, on the same grid, where they share a value
// with the reference, as what is sliced, padded or put together does:
//   %y = neg(%x)   %z = slice(%y) {dim = 1, end = i1 // 2}     %z has the loops of [i0, i1 // 2], and computes neg
//   itself
#include <algorithm>

#include "fuser/schedule/pointwise_facts.h"
#include "fuser/schedule/scheduler_list.h"
#include "fuser/schedule/vector_plan.h"

namespace fuser {
namespace {

constexpr int64_t kThreads = 128;

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
  Schedule schedule;
  for (const std::string& input : plan.inputs) {
    schedule.push_back(on(TransformKind::CacheAfter, input, input + ".cache"));
  }
  cacheOutputs(part, schedule);
  const std::string& name = reference->name();
  const size_t rank = reference->rank();
  if (rank > 0) {
    reorder(schedule, name, memoryOrder(reference));
    for (size_t i = 1; i < rank; ++i) schedule.push_back(merge(name, 0));
    if (plan.width > 1) schedule.push_back(split(name, 0, plan.width));
    schedule.push_back(split(name, 0, std::min(kThreads, device.threadsPerBlock)));
    schedule.push_back(parallelize(name, 0, ParallelType::BIDx));
    schedule.push_back(parallelize(name, 1, ParallelType::TIDx));
  }
  schedule.push_back(on(TransformKind::Propagate, name));
  schedule.push_back(on(TransformKind::ParallelizeAllLike, name));
  vectorize(schedule, plan);
  schedule.push_back(on(TransformKind::InlineMost, ""));
  return schedule;
}

}  // namespace fuser
