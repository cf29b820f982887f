// Branches: a tensor or another one of its type, or an update or none, as a bool scalar of the run says.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/updates.h"
#include "fuser/ir/view_axes.h"
#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {
namespace {

OpKind inverting(DataType dtype) {
  return isFloating(dtype) ? OpKind::Neg : dtype == DataType::Bool ? OpKind::LogicalNot : OpKind::BitwiseNot;
}

// What may stand on the other side: a tensor of the same type, the same one flipped, or an op of it. -1: nothing.
int64_t drawOtherSide(Workspace& work, size_t side) {
  Choices& choices = work.choices;
  const TensorValue value = work.tensors[side];
  constexpr double kKinds[] = {/*another*/ 0.4, /*flipped*/ 0.2, /*an op of it*/ 0.4};
  const size_t kind = choices.weighted(kKinds);
  if (kind == 0) {
    const std::vector<IntExpr> sizes = sizesOf(value.tensor);
    const int64_t found = drawTensor(work, [&](const TensorValue& other) {
      return other.tensor != value.tensor && !other.tensor->isCpuScalar() &&
             other.tensor->dtype() == value.tensor->dtype() && sizesOf(other.tensor) == sizes;
    });
    if (found >= 0) return found;
  }
  const size_t rank = value.tensor->rank();
  if (kind == 1 && rank > 0 && work.policy.opAllowed(OpKind::Flip)) {
    const std::vector<int64_t> dims{static_cast<int64_t>(choices.index(rank))};
    TensorView* flipped =
        build::structuralTensor(*work.fusion, OpKind::Flip, {value.tensor}, Attributes().dims(dims), work.freshName());
    return static_cast<int64_t>(work.keep(flipped, value.estimate));
  }
  const DataType dtype = value.tensor->dtype();
  const OpKind op = inverting(dtype);
  if (!work.policy.opAllowed(op, dtype)) return -1;
  const Estimate estimate = pointwiseEstimate(op, {&value.estimate, 1}, dtype);
  return static_cast<int64_t>(work.keep(build::unary(*work.fusion, op, value.tensor, work.freshName()), estimate));
}

// Writes to a row of a tensor on one side: one that runs on the other side need not have. Nothing else reads the view.
bool updateRowOnSide(Workspace& work) {
  const int64_t found = drawTensor(work, [&](const TensorValue& value) {
    return value.tensor->rank() > 0 && !value.tensor->isCpuScalar() && mayUpdate(work, value.tensor);
  });
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  const DataType dtype = value.tensor->dtype();
  const OpKind op = inverting(dtype);
  if (!work.policy.opAllowed(op, dtype) || !work.policy.opAllowed(OpKind::Select)) return false;
  const size_t axis = work.choices.index(value.tensor->rank());
  const ScalarEntry condition = drawScalar(work, DataType::Bool);
  int64_t most = 8;  // rows that each run has which takes the side
  for (size_t run = 0; run < kRuns; ++run) {
    if (condition.values[run].as<bool>()) most = std::min(most, value.sizes[run][axis]);
  }
  most = std::min(most, value.tensor->axes()[axis]->size()->range.high);  // a row that no run has is refused
  if (most == 0) return false;
  const Attributes place = Attributes().dim(static_cast<int64_t>(axis)).index(work.fusion->ints().constant(most - 1));
  TensorView* row = build::structuralTensor(*work.fusion, OpKind::Select, {value.tensor}, place, work.freshName());
  auto* written = build::unary(*work.fusion, op, row, work.freshName())->as<TensorView>();
  build::update(*work.fusion, row, build::cond(*work.fusion, written, row, condition.scalar, work.freshName()));
  widenMemory(work, value.tensor, pointwiseEstimate(op, {&value.estimate, 1}, dtype));
  return true;
}

}  // namespace

bool applyBranch(Workspace& work) {
  if (work.fusion->hasDevices() || work.fusion->hasStreams()) return false;
  if (work.choices.chance(0.25) && updateRowOnSide(work)) return true;
  const int64_t found = drawTensor(work, [](const TensorValue& value) { return !value.tensor->isCpuScalar(); });
  if (found < 0) return false;
  const int64_t other = drawOtherSide(work, static_cast<size_t>(found));
  if (other < 0) return false;
  const TensorValue first = work.tensors[static_cast<size_t>(found)], second = work.tensors[static_cast<size_t>(other)];
  Val* condition = drawScalar(work, DataType::Bool).scalar;
  TensorView* result = build::cond(*work.fusion, first.tensor, second.tensor, condition, work.freshName());
  work.keep(result, hull(first.estimate, second.estimate));
  // As the text has it: on one side memory keeps what it has.
  if (!work.choices.chance(0.4) || !mayUpdate(work, first.tensor)) return true;
  build::update(*work.fusion, first.tensor, result);
  widenMemory(work, first.tensor, second.estimate);
  return true;
}

}  // namespace fuser::fuzz
