// Chooses the collectives that convert one sharding to another.

#include "fuser/host_passes/communication_plan.h"

namespace fuser {
namespace {

CommunicationPlan oneStep(CollectiveKind kind, const DeviceMesh& team, int root = 0) {
  return {{{kind, team.devices(), root}}};
}

}  // namespace

std::optional<CommunicationPlan> planMove(const Sharding& from, const Sharding& to) {
  using enum CollectiveKind;
  const int first = from.mesh.devices().front();
  if (!from.axis) {
    if (to.axis) return oneStep(Scatter, to.mesh, first);
    return oneStep(to.mesh.size() == 1 ? SendRecv : Broadcast, to.mesh, first);
  }
  if (to.mesh.size() == 1) return oneStep(Gather, from.mesh, to.mesh.devices().front());
  if (from.mesh == to.mesh) return oneStep(to.axis ? AllToAll : Allgather, from.mesh);
  if (from.axis != to.axis || from.mesh.size() != to.mesh.size()) return std::nullopt;
  CommunicationPlan plan;
  for (size_t place = 0; place < from.mesh.size(); ++place) {
    plan.steps.push_back({SendRecv, {to.mesh.devices()[place]}, from.mesh.devices()[place]});
  }
  return plan;
}

std::optional<CommunicationPlan> planJoin(const DeviceMesh& from, const Sharding& to) {
  using enum CollectiveKind;
  if (to.mesh.size() == 1) return oneStep(Reduce, from, to.mesh.devices().front());
  if (from != to.mesh) return std::nullopt;
  return oneStep(to.axis ? ReduceScatter : Allreduce, from);
}

Reduction reductionOf(const Expr* expr) {
  if (expr->op() == OpKind::Sum) return Reduction::Sum;
  if (expr->op() == OpKind::Prod) return Reduction::Product;
  if (expr->op() == OpKind::Amax) return Reduction::Max;
  FUSER_CHECK(expr->op() == OpKind::Amin, opName(expr->op()), " joins no partial results");
  return Reduction::Min;
}

}  // namespace fuser
