// Derives the sharding that operands need from the axis map of their expression.

#include "fuser/analysis/resharding.h"

#include <algorithm>

#include "fuser/analysis/standalone_op.h"

namespace fuser {
namespace {

bool joinsAcrossDevices(OpKind op) {
  return op == OpKind::Sum || op == OpKind::Prod || op == OpKind::Amax || op == OpKind::Amin;
}

}  // namespace

bool satisfiesSharding(const Sharding& sharding, const Sharding& wanted) {
  return sharding == wanted || (!sharding.axis && sharding.mesh.containsAll(wanted.mesh));
}

std::optional<Sharding> operandSharding(const Expr* expr, const TensorView* operand) {
  const Sharding result = shardingOf(expr->output()->as<TensorView>());
  if (!result.axis) return result;
  if (!whyNoSlices(expr, *result.axis).empty()) return std::nullopt;
  const std::optional<size_t> axis = operandAxis(expr, operand, *result.axis);
  // A broadcast axis has one element, which all devices read.
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

bool isResharding(const Expr* expr) {
  if (expr->isScalarExpr() || !expr->fusion().hasDevices()) return false;
  return std::any_of(expr->inputs().begin(), expr->inputs().end(), [&](const Val* input) {
    if (input->isScalar() || input->as<TensorView>()->isCpuScalar()) return false;
    const std::optional<Sharding> wanted = operandSharding(expr, input->as<TensorView>());
    return !wanted || !satisfiesSharding(shardingOf(input->as<TensorView>()), *wanted);
  });
}

std::string whyNoStreamAxis(const Expr* expr, size_t axis) {
  if (expr->family() == Family::LoadStore && isResharding(expr)) return "its elements come from other devices, whole";
  if (expr->output()->as<TensorView>()->shardAxis() == axis) return "the devices share the axis";
  return whyNoSlices(expr, axis);
}

}  // namespace fuser
