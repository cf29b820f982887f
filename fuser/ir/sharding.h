#pragma once
// Sharding: where a tensor is, read from its domain or set there. A value apart from the tensor, so that what is there
// and what is wanted can be compared (fuser/analysis/resharding.h).

#include <optional>

#include "fuser/ir/tensor_view.h"

namespace fuser {

// The devices that hold a tensor, and of which axis each holds its part; without one each holds all of it.
struct Sharding {
  DeviceMesh mesh;
  std::optional<size_t> axis;  // of the tensor's axes(); only with several devices
  bool operator==(const Sharding&) const = default;
};
Sharding shardingOf(const TensorView* tensor);
// Every axis becomes serial but the sharded one.
void setSharding(TensorView* tensor, const Sharding& sharding);

}  // namespace fuser
