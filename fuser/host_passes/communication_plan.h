#pragma once
// CommunicationPlan: the collectives that change a tensor's sharding, or that reduce partial results: each device of
// `from` holds one of the full size. The steps of one plan are independent of each other.

#include <optional>
#include <vector>

#include "fuser/communicate/collective.h"
#include "fuser/ir/fusion.h"
#include "fuser/ir/sharding.h"

namespace fuser {

struct CommunicationPlan {
  struct Step {
    CollectiveKind kind = CollectiveKind::Broadcast;
    std::vector<int> team;
    int root = 0;
  };
  std::vector<Step> steps;
};
// planMove changes the sharding; planJoin also reduces. nullopt: the change needs two rounds, through a single device.
std::optional<CommunicationPlan> planMove(const Sharding& from, const Sharding& to);
std::optional<CommunicationPlan> planJoin(const DeviceMesh& from, const Sharding& to);

// The collective's reduction for an expression with a reducedShardAxis.
Reduction reductionOf(const Expr* expr);

}  // namespace fuser
