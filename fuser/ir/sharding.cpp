// Converts between a tensor's domain and its Sharding.

#include "fuser/ir/sharding.h"

namespace fuser {

Sharding shardingOf(const TensorView* tensor) { return {tensor->mesh(), tensor->shardAxis()}; }

void setSharding(TensorView* tensor, const Sharding& sharding) {
  tensor->domain().mesh = sharding.mesh;
  const std::vector<IterDomain*> axes = tensor->axes();
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    axes[axis]->parallelize(sharding.axis == axis ? ParallelType::DIDx : ParallelType::Serial);
  }
}

}  // namespace fuser
