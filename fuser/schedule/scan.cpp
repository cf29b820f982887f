// Scan: accepts parts with scans along one axis, and what is computed element by element beside them. A thread goes
// along that axis, and keeps what it has so far:
//   [i0, i1, i2], scanned along i1 -> [i0*i2/128 (BIDx), 128 (TIDx), i1]
#include <algorithm>

#include "fuser/schedule/pointwise_facts.h"
#include "fuser/schedule/scheduler_list.h"

namespace fuser {
namespace {

constexpr int64_t kScanningThreads = 128;

// The reference's position of the axis that is scanned; -1: of axes of one element.
int scannedPosition(const std::vector<Expr*>& exprs, const ReferenceMap& map) {
  for (const Expr* expr : exprs) {
    if (expr->family() != Family::Scan) continue;
    const auto* result = expr->output()->as<TensorView>();
    const auto dim = static_cast<size_t>(expr->attributes().dim());
    if (!result->axes()[dim]->isBroadcast()) return map.positions(result)[dim];
  }
  return -1;
}

// Whether the tensor has elements of its own along this position.
bool isAlong(const TensorView* tensor, int position, const ReferenceMap& map) {
  const std::vector<IterDomain*>& axes = tensor->domain().logical;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (map.positions(tensor)[i] == position && !axes[i]->isBroadcast()) return true;
  }
  return false;
}

}  // namespace

std::string whyNotScan(const FusionView& whole, std::shared_ptr<const ReferenceMap>& kept) {
  PartLoops loops;
  std::variant<ReferenceMap, std::string> built = mapOfElements(whole, loops);
  if (const std::string* reason = std::get_if<std::string>(&built)) return *reason;
  const ReferenceMap& map = std::get<ReferenceMap>(built);
  const int position = scannedPosition(loops.view.exprs, map);
  for (const Expr* expr : loops.view.exprs) {
    if (loops.trailing.contains(expr)) return concat("%", expr->output()->name(), " is reshaped behind a scan");
    if (expr->family() != Family::Scan) continue;
    const auto* result = expr->output()->as<TensorView>();
    const auto dim = static_cast<size_t>(expr->attributes().dim());
    if (!result->axes()[dim]->isBroadcast() && map.positions(result)[dim] != position)
      return concat("%", result->name(), " is a scan along another axis");
  }
  for (const Val* output : loops.view.outputs) {
    if (position >= 0 && output->isTensor() && !isAlong(output->as<TensorView>(), position, map))
      return concat("%", output->name(), " has one element for all places of a scan");
  }
  kept = std::make_shared<ReferenceMap>(std::move(std::get<ReferenceMap>(built)));
  return "";
}

Schedule scheduleScan(const Fusion& part, SizeFacts*, const std::vector<InputLayout>&, const ReferenceMap* known,
                      const DeviceProperties& device) {
  std::optional<ReferenceMap> built;
  const ReferenceMap& map = knownMap(part, known, built);
  const TensorView* reference = map.reference();
  const std::string& name = reference->name();
  const int position = scannedPosition(loopsOf(part).view.exprs, map);
  Schedule schedule;
  cacheOutputs(part, schedule);
  std::vector<int> order = memoryOrder(reference);
  const auto scanned = std::stable_partition(order.begin(), order.end(), [&](int axis) {
    return position < 0 || map.positions(reference)[static_cast<size_t>(axis)] != position;
  });
  const auto others = static_cast<size_t>(scanned - order.begin());
  reorder(schedule, name, order);
  for (size_t i = 1; i < others; ++i) schedule.push_back(merge(name, 0));
  if (others > 0) {
    schedule.push_back(split(name, 0, std::min(kScanningThreads, device.threadsPerBlock)));
    schedule.push_back(parallelize(name, 0, ParallelType::BIDx));
    schedule.push_back(parallelize(name, 1, ParallelType::TIDx));
  }
  schedule.push_back(on(TransformKind::Propagate, name));
  schedule.push_back(on(TransformKind::ParallelizeAllLike, name));
  schedule.push_back(on(TransformKind::InlineMost, ""));
  return schedule;
}

}  // namespace fuser
