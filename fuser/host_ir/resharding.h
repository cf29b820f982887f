#pragma once
// Where tensors are, and which expressions bring them elsewhere.

#include <optional>
#include <string>
#include <vector>

#include "fuser/communicate/collective.h"
#include "fuser/ir/fusion.h"

namespace fuser {

// The devices that hold a tensor, and of which axis each holds its part; without one each holds all of it.
struct Sharding {
  DeviceMesh mesh;
  std::optional<size_t> axis;  // of the tensor's axes(); only with several devices
  bool operator==(const Sharding&) const = default;
};
Sharding shardingOf(const TensorView* tensor);
void setSharding(TensorView* tensor, const Sharding& sharding);

// Whether each device of `wanted` has what it shall have where a tensor is so sharded: the same, or all of it.
bool isThere(const Sharding& sharding, const Sharding& wanted);

// Where the operand has to be so that each device of the results' mesh computes its part of them from what it has.
// Nullopt: no device can compute a part alone (of the expression, whyNoSlices says why).
std::optional<Sharding> operandSharding(const Expr* expr, const TensorView* operand);

// The axis of its one operand that is sharded and that the expression reduces, where partial results of all devices can
// be joined: sums, products, and extremes.
std::optional<size_t> reducedShardAxis(const Expr* expr);
// How they are joined.
Reduction reductionOf(const Expr* expr);

// Whether some device computes its part of the results from what another one holds.
bool isResharding(const Expr* expr);

// The collectives that bring a tensor from where it is to where it shall be, and reduce: partial results that each
// device of `from` holds whole are joined on the way. Those of one plan know nothing of each other.
struct CommunicationPlan {
  struct Step {
    CollectiveKind kind = CollectiveKind::Broadcast;
    std::vector<int> team;
    int root = 0;
  };
  std::vector<Step> steps;
};
// Nullopt: there is none, and it takes a stop at one device.
std::optional<CommunicationPlan> planMove(const Sharding& from, const Sharding& to);
std::optional<CommunicationPlan> planJoin(const DeviceMesh& from, const Sharding& to);

}  // namespace fuser
