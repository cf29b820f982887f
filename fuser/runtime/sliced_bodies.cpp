// Slices a copy of the part as StreamParallelTypePass slices the part itself, and asks.

#include "fuser/runtime/sliced_bodies.h"

#include <algorithm>

#include "fuser/analysis/body_slices.h"
#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/host_ir/tensor_parts.h"

namespace fuser {
namespace {

// A copy of the part with its placed axes, which clonePart leaves out.
ClonedPart copyOf(const FusionView& view, ParallelType type) {
  ClonedPart copy = clonePart(*view.fusion, view.exprs, view.inputs, view.outputs);
  for (const Expr* expr : view.exprs) {
    const std::optional<size_t> axis = placedAxis(expr, type);
    if (!axis) continue;
    if (type == ParallelType::DIDx) copy.fusion->setMesh(expr->output()->as<TensorView>()->mesh());
    for (const Val* output : expr->outputs()) {
      copy.vals.at(output)->as<TensorView>()->axes().at(*axis)->parallelize(type);
    }
  }
  return copy;
}

// The node that computes a slice, or a device's part, of the whole copy.
hir::StandaloneOp sliceOf(Fusion& copy, ParallelType type) {
  std::vector<const TensorView*> results;
  for (const Val* output : copy.outputs()) results.push_back(output->as<TensorView>());
  hir::StandaloneOp op = standaloneOp({copy.exprs().begin(), copy.exprs().end()},
                                      {copy.inputs().begin(), copy.inputs().end()}, std::move(results));
  const BodySlices slices = bodySlices(op.exprs, {copy.outputs().begin(), copy.outputs().end()}, type);
  FUSER_CHECK(slices.reason.empty(), "the copy of a body is none: ", slices.reason);
  const size_t first = slices.axes.at(op.results.front());
  const auto parts = static_cast<int64_t>(copy.mesh().size());
  if (type == ParallelType::Stream) op.withoutAxis = first;
  if (type == ParallelType::DIDx) op.part = {first, parts};
  const auto cut = [&](const TensorView* whole, size_t axis, PartMemory memory) -> const TensorView* {
    if (type == ParallelType::Stream) return newSlice(copy, whole, axis, whole->name());
    const bool alike = whole->axes()[axis]->isBroadcast() && !whole->axes()[axis]->isExpanded();
    return alike ? whole : newPart(copy, whole, axis, parts, memory, whole->name());
  };
  for (const Val*& input : op.inputs) {
    const auto axis = slices.axes.find(input);
    if (axis != slices.axes.end()) input = cut(input->as<TensorView>(), axis->second, PartMemory::InSource);
  }
  for (const TensorView*& output : op.outputs) output = cut(output, slices.axes.at(output), PartMemory::Dense);
  return op;
}

}  // namespace

std::string whyNoSlicedKernel(Fusion& fusion, const FusionView& view, const SchedulerInterface& schedulers,
                              const std::function<int64_t(IntExpr)>& valueOf) {
  const ParallelType type = fusion.hasDevices() ? ParallelType::DIDx : ParallelType::Stream;
  const auto isSliced = [&](const Expr* expr) { return placedAxis(expr, type).has_value(); };
  if (std::none_of(view.exprs.begin(), view.exprs.end(), isSliced)) return "";
  const ClonedPart copy = copyOf(view, type);
  const ClonedPart slice = partOf(*copy.fusion, sliceOf(*copy.fusion, type));
  PartExtents toCopy(*copy.fusion, slice), toFusion(fusion, copy);
  SizeFacts sizes([&](IntExpr size) { return valueOf(toFusion(toCopy(size))); });
  const SchedulerAnswer answer = schedulers.accepts({slice.fusion.get(), slice.fusion->exprs(), slice.fusion->inputs(),
                                                     slice.fusion->outputs(), view.sizes ? &sizes : nullptr});
  for (const auto& [question, yes] : sizes.asked()) {
    const IntExpr size = toFusion(toCopy(question.size));
    switch (question.kind) {
      case SizeFacts::Question::Kind::AtMost: view.sizes->atMost(size, question.operand); break;
      case SizeFacts::Question::Kind::DivisibleBy: view.sizes->divisibleBy(size, question.operand); break;
    }
  }
  return answer.accepted() ? "" : concat("a slice is no kernel: ", answer.reason);
}

}  // namespace fuser
