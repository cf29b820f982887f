// Shardings, and the collectives between them.

#include "fuser/host_ir/resharding.h"

#include <algorithm>

#include "fuser/host_ir/standalone_op.h"

namespace fuser {
namespace {

bool joinsAcrossDevices(OpKind op) {
  return op == OpKind::Sum || op == OpKind::Prod || op == OpKind::Amax || op == OpKind::Amin;
}

CommunicationPlan oneStep(CollectiveKind kind, const DeviceMesh& team, int root = 0) {
  return {{{kind, team.devices(), root}}};
}

}  // namespace

Sharding shardingOf(const TensorView* tensor) { return {tensor->mesh(), tensor->shardAxis()}; }

void setSharding(TensorView* tensor, const Sharding& sharding) {
  tensor->domain().mesh = sharding.mesh;
  const std::vector<IterDomain*> axes = tensor->axes();
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    axes[axis]->parallelize(sharding.axis == axis ? ParallelType::DIDx : ParallelType::Serial);
  }
}

bool isThere(const Sharding& sharding, const Sharding& wanted) {
  return sharding == wanted || (!sharding.axis && sharding.mesh.containsAll(wanted.mesh));
}

std::optional<Sharding> operandSharding(const Expr* expr, const TensorView* operand) {
  const Sharding result = shardingOf(expr->output()->as<TensorView>());
  if (!result.axis) return result;
  if (!whyNoSlices(expr, *result.axis).empty()) return std::nullopt;
  const std::optional<size_t> axis = operandAxis(expr, operand, *result.axis);
  // A broadcast axis has one place, which all devices read.
  if (!axis || !operand->axes()[*axis]->isIteration()) return Sharding{result.mesh, std::nullopt};
  return Sharding{result.mesh, axis};
}

std::optional<size_t> reducedShardAxis(const Expr* expr) {
  if (!joinsAcrossDevices(expr->op())) return std::nullopt;
  const std::optional<size_t> axis = expr->input(0)->as<TensorView>()->shardAxis();
  const std::vector<int64_t>& dims = expr->attributes().dims();
  const bool reduced = axis && std::find(dims.begin(), dims.end(), static_cast<int64_t>(*axis)) != dims.end();
  return reduced ? axis : std::nullopt;
}

Reduction reductionOf(const Expr* expr) {
  FUSER_CHECK(joinsAcrossDevices(expr->op()), opName(expr->op()), " joins no partial results");
  if (expr->op() == OpKind::Sum) return Reduction::Sum;
  if (expr->op() == OpKind::Prod) return Reduction::Product;
  return expr->op() == OpKind::Amax ? Reduction::Max : Reduction::Min;
}

bool isResharding(const Expr* expr) {
  if (expr->isScalarExpr() || !expr->fusion().hasDevices()) return false;
  return std::any_of(expr->inputs().begin(), expr->inputs().end(), [&](const Val* input) {
    if (input->isScalar() || input->as<TensorView>()->isCpuScalar()) return false;
    const std::optional<Sharding> wanted = operandSharding(expr, input->as<TensorView>());
    return !wanted || !isThere(shardingOf(input->as<TensorView>()), *wanted);
  });
}

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

}  // namespace fuser
