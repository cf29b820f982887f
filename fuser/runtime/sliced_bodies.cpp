// Cuts a copy of the part as LowerReshardingsPass and StreamParallelTypePass cut the part itself, and asks.

#include "fuser/runtime/sliced_bodies.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "fuser/analysis/body_slices.h"
#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/host_ir/tensor_parts.h"

namespace fuser {
namespace {

const std::array kTypes = {ParallelType::DIDx, ParallelType::Stream};

bool anyPlaced(const std::vector<Expr*>& exprs, ParallelType type) {
  return std::any_of(exprs.begin(), exprs.end(), [&](const Expr* expr) { return placedAxis(expr, type).has_value(); });
}

// A copy of the part with its placed axes, which clonePart leaves out.
ClonedPart copyOf(const FusionView& view) {
  ClonedPart copy = clonePart(*view.fusion, view.exprs, view.inputs, view.outputs);
  for (const Expr* expr : view.exprs) {
    for (ParallelType type : kTypes) {
      const std::optional<size_t> axis = placedAxis(expr, type);
      if (!axis) continue;
      if (type == ParallelType::DIDx) copy.fusion->setMesh(expr->output()->as<TensorView>()->mesh());
      for (const Val* output : expr->outputs()) {
        copy.vals.at(output)->as<TensorView>()->axes().at(*axis)->parallelize(type);
      }
    }
  }
  return copy;
}

// Makes the node compute a slice, or a device's part, of what it computes.
void cut(Fusion& copy, hir::StandaloneOp& op, ParallelType type) {
  const BodySlices slices = bodySlices(op.exprs, {op.results.begin(), op.results.end()}, type);
  FUSER_CHECK(slices.reason.empty(), "the copy of a body is none: ", slices.reason);
  const size_t first = slices.axes.at(op.results.front());
  const auto parts = static_cast<int64_t>(copy.mesh().size());
  if (type == ParallelType::Stream) op.withoutAxis = first;
  if (type == ParallelType::DIDx) op.part = {first, parts};
  const auto cutOne = [&](const TensorView* whole, size_t axis, PartMemory memory) -> const TensorView* {
    if (type == ParallelType::Stream) return newSlice(copy, whole, axis, whole->name());
    const bool alike = whole->axes()[axis]->isBroadcast() && !whole->axes()[axis]->isExpanded();
    return alike ? whole : newPart(copy, whole, axis, parts, memory, whole->name());
  };
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const auto axis = slices.axes.find(op.operands[i]);
    if (axis == slices.axes.end()) continue;
    op.inputs[i] = cutOne(op.inputs[i]->as<TensorView>(), axis->second, PartMemory::InSource);
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    op.outputs[i] = cutOne(op.outputs[i], slices.axes.at(op.results[i]), PartMemory::Dense);
  }
}

}  // namespace

std::string whyNoSlicedKernel(Fusion& fusion, const FusionView& view, const SchedulerInterface& schedulers,
                              const std::function<int64_t(IntExpr)>& valueOf) {
  std::vector<ParallelType> types;  // parts outside, slices of parts inside
  std::copy_if(kTypes.begin(), kTypes.end(), std::back_inserter(types),
               [&](ParallelType type) { return anyPlaced(view.exprs, type); });
  if (types.empty()) return "";
  const ClonedPart copy = copyOf(view);
  std::vector<const TensorView*> results;
  for (const Val* output : copy.fusion->outputs()) results.push_back(output->as<TensorView>());
  hir::StandaloneOp op = standaloneOp({copy.fusion->exprs().begin(), copy.fusion->exprs().end()},
                                      {copy.fusion->inputs().begin(), copy.fusion->inputs().end()}, std::move(results));
  for (ParallelType type : types) cut(*copy.fusion, op, type);
  const ClonedPart slice = partOf(*copy.fusion, op);
  PartExtents toCopy(*copy.fusion, slice), toFusion(fusion, copy);
  SizeFacts sizes([&](IntExpr size) { return valueOf(toFusion(toCopy(size))); });
  const SchedulerAnswer answer = schedulers.accepts({slice.fusion.get(), slice.fusion->exprs(), slice.fusion->inputs(),
                                                     slice.fusion->outputs(), view.sizes ? &sizes : nullptr});
  for (const auto& [question, yes] : sizes.asked()) {
    const IntExpr size = toFusion(toCopy(question.size));
    switch (question.kind) {
      case SizeFacts::Question::Kind::AtMost: view.sizes->atMost(size, question.operand, question.limit); break;
      case SizeFacts::Question::Kind::DivisibleBy: view.sizes->divisibleBy(size, question.operand); break;
    }
  }
  return answer.accepted() ? "" : concat("a slice is no kernel: ", answer.reason);
}

}  // namespace fuser
