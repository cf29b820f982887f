// Converts between a tensor's domain and its Sharding.

#include "fuser/ir/sharding.h"

#include <algorithm>

namespace fuser {

bool isPlaced(const Val* val) {
  if (val->isScalar()) return false;
  const auto* tensor = val->as<TensorView>();
  return !tensor->domain().mesh.empty() || tensor->streamAxis() || tensor->shardAxis();
}

bool anyPlaced(std::span<Val* const> vals) { return std::any_of(vals.begin(), vals.end(), isPlaced); }

Sharding shardingOf(const TensorView* tensor) { return {tensor->mesh(), tensor->shardAxis()}; }

void setSharding(TensorView* tensor, const Sharding& sharding) {
  tensor->domain().mesh = sharding.mesh;
  const std::vector<IterDomain*> axes = tensor->axes();
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    if (sharding.axis == axis) {
      axes[axis]->parallelize(ParallelType::DIDx);
    } else if (axes[axis]->parallelType() == ParallelType::DIDx) {
      axes[axis]->parallelize(ParallelType::Serial);
    }
  }
}

}  // namespace fuser
