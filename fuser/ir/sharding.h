#pragma once
// Sharding: which devices hold which part of a tensor. It is a value separate from the tensor's domain, so that the
// current and the required sharding can be compared (fuser/analysis/resharding.h).

#include <optional>
#include <span>

#include "fuser/ir/tensor_view.h"

namespace fuser {

// Whether a case names where the tensor is: on streams, in parts, or on devices of its own. Passes leave such tensors
// as they are: they neither replace nor move them.
bool isPlaced(const Val* val);
bool anyPlaced(std::span<Val* const> vals);

// `axis` is the sharded axis: each device holds its part along it. Without one the tensor is replicated.
struct Sharding {
  DeviceMesh mesh;
  std::optional<size_t> axis;  // index into the tensor's axes(); only set with several devices
  bool operator==(const Sharding&) const = default;
};
Sharding shardingOf(const TensorView* tensor);
// Sets the mesh and makes the sharded axis DIDx, all others Serial, but those on streams.
void setSharding(TensorView* tensor, const Sharding& sharding);

}  // namespace fuser
