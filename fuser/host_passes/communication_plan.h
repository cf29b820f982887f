#pragma once
// CommunicationPlan: the collectives that bring a tensor from where it is to where it shall be, and reduce: partial
// results that each device of `from` holds whole are joined on the way. Those of one plan know nothing of each other.

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
// Nullopt: there is none, and it takes a stop at one device.
std::optional<CommunicationPlan> planMove(const Sharding& from, const Sharding& to);
std::optional<CommunicationPlan> planJoin(const DeviceMesh& from, const Sharding& to);

// How partial results of an expression with a reducedShardAxis are joined.
Reduction reductionOf(const Expr* expr);

}  // namespace fuser
