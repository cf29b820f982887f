// PointWise: accepts parts without reductions in which every tensor maps to one reference. It merges the reference's
// axes, in memory order, into one, which it splits into vectors per thread and threads per block:
//   [i0, i1] -> [i0*i1] -> [i0*i1/v/128 (BIDx), 128 (TIDx), v]     v elements a vector where layouts and sizes allow
#include <algorithm>

#include "fuser/schedule/facts.h"
#include "fuser/schedule/scheduler_list.h"
#include "fuser/schedule/vector_plan.h"

namespace fuser {
namespace {

constexpr int64_t kThreads = 128;

// Chooses the reference: the tensor with the most axes; on a tie an output, then the first one.
TensorView* chooseReference(const std::vector<Expr*>& exprs, const std::vector<Val*>& outputs) {
  TensorView* best = nullptr;
  const auto isOutput = [&](const TensorView* tensor) {
    return std::find(outputs.begin(), outputs.end(), tensor) != outputs.end();
  };
  for (TensorView* tensor : tensorsOf(exprs)) {
    if (!best || concreteAxes(tensor) > concreteAxes(best) ||
        (concreteAxes(tensor) == concreteAxes(best) && isOutput(tensor) && !isOutput(best))) {
      best = tensor;
    }
  }
  return best;
}

}  // namespace

std::string whyNotPointWise(const FusionView& whole, std::shared_ptr<const ReferenceMap>& kept) {
  for (const Expr* expr : whole.exprs) {
    if (expr->isScalarExpr()) return "scalars run on the host";
    if (isReduction(expr->op())) return concat("%", expr->output()->name(), " is a reduction");
  }
  PartLoops loops;
  if (std::string reason = findLoops(whole, loops); !reason.empty()) return reason;
  const FusionView& view = loops.view;
  const TensorView* reference = chooseReference(view.exprs, view.outputs);
  if (!reference) return "nothing to compute";
  if (std::string reason = whyEmpty(view); !reason.empty()) return reason;
  std::variant<ReferenceMap, std::string> built = ReferenceMap::build(view.exprs, reference);
  if (const std::string* reason = std::get_if<std::string>(&built)) return *reason;
  ReferenceMap& map = std::get<ReferenceMap>(built);
  std::string reason = whyUnwritten(view, map, std::vector<bool>(reference->domain().logical.size(), false));
  if (reason.empty()) kept = std::make_shared<ReferenceMap>(std::move(map));
  return reason;
}

Schedule schedulePointWise(const Fusion& part, SizeFacts* sizes, const std::vector<InputLayout>& layouts,
                           const ReferenceMap* known, const DeviceProperties& device) {
  std::optional<ReferenceMap> built;
  if (!known) {
    const std::vector<Expr*> exprs = loopsOf(part).view.exprs;
    const TensorView* chosen = chooseReference(exprs, part.outputs());
    known = &built.emplace(std::get<ReferenceMap>(ReferenceMap::build(exprs, chosen)));
  }
  const ReferenceMap& map = *known;
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
