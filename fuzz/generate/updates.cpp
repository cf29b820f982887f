// Updates in place: `update %v = %u` through a view of an input or of what an op made.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/updates.h"
#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {
namespace {

// Whether a view on the way to the tensor expands an axis that has one element in a run.
bool expandsInARun(const Workspace& work, const TensorView* tensor) {
  for (const Expr* view : viewsTo(tensor)) {
    if (view->op() != OpKind::Expand) continue;
    const std::vector<IterDomain*> from = view->input(0)->as<TensorView>()->axes();
    const std::vector<IterDomain*> to = view->output()->as<TensorView>()->axes();
    for (size_t i = 1; i <= from.size(); ++i) {
      const IntExpr before = from[from.size() - i]->size(), after = to[to.size() - i]->size();
      for (size_t run = 0; run < kRuns; ++run) {
        if (work.sizeOf(before, run) != work.sizeOf(after, run)) return true;
      }
    }
  }
  return false;
}

// Not memory whose elements overlap, or that is a view in some runs alone.
bool takesUpdates(const Workspace& work, const TensorView* tensor) {
  return whyNoUpdate(tensor).empty() && !expandsInARun(work, tensor);
}

bool sharesMemory(const TensorView* a, const TensorView* b) { return storageOf(a) == storageOf(b); }

// Whether some reshape of this memory is a view in some runs alone.
bool hasUncertainViews(const Workspace& work, const TensorView* tensor) {
  const std::vector<Expr*>& exprs = work.fusion->exprs();
  return std::any_of(exprs.begin(), exprs.end(), [&](const Expr* expr) {
    return memoryOf(expr) == Memory::Depends && sharesMemory(expr->input(0)->as<TensorView>(), tensor);
  });
}

// A view of the tensor, of a view of it, …: ops of the generator that give views, applied to it.
size_t drawView(Workspace& work, size_t operand) {
  Choices& choices = work.choices;
  Fusion& fusion = *work.fusion;
  const TensorValue value = work.tensors[operand];
  const size_t rank = value.tensor->rank();
  IntExprArena& ints = fusion.ints();
  std::vector<IterDomain*> axes = value.tensor->axes();
  constexpr double kKinds[] = {/*slice*/ 0.5, /*permute*/ 0.2, /*unsqueeze*/ 0.1, /*select*/ 0.2};
  switch (choices.weighted(kKinds)) {
    case 0: {
      if (rank == 0) return operand;
      const size_t axis = choices.index(rank);
      const int64_t least = std::min(value.sizes[0][axis], value.sizes[1][axis]);
      const int64_t start = choices.integer(0, std::max<int64_t>(std::min<int64_t>(least, 6), 0));
      constexpr int64_t kSteps[] = {1, 1, 1, 2, 3};
      const IntExpr end = choices.chance(0.5) ? axes[axis]->size() : ints.constant(choices.integer(start, start + 5));
      return work.keep(build::slice(fusion, value.tensor, static_cast<int64_t>(axis), ints.constant(start), end,
                                    ints.constant(choices.pick(kSteps)), work.freshName()),
                       value.estimate);
    }
    case 1: {
      if (rank < 2) return operand;
      std::vector<int64_t> dims;
      for (size_t i = 0; i < rank; ++i) dims.push_back(static_cast<int64_t>(i));
      choices.shuffle(dims);
      return work.keep(build::permute(fusion, value.tensor, dims, work.freshName()), value.estimate);
    }
    case 2: {
      if (rank >= kMaxRank) return operand;
      const std::vector<int64_t> dims{static_cast<int64_t>(choices.index(rank + 1))};
      return work.keep(build::unsqueeze(fusion, value.tensor, dims, work.freshName()), value.estimate);
    }
    default: {
      if (rank == 0) return operand;
      const size_t axis = choices.index(rank);
      const int64_t least = std::min(value.sizes[0][axis], value.sizes[1][axis]);
      if (least == 0) return operand;
      const IntExpr index = ints.constant(choices.integer(-least, least - 1));
      return work.keep(
          build::structuralTensor(fusion, OpKind::Select, {value.tensor},
                                  Attributes().dim(static_cast<int64_t>(axis)).index(index), work.freshName()),
          value.estimate);
    }
  }
}

// What is written: an op of the view itself, a flip of it, another tensor of its sizes, or a new one.
int64_t drawSourceOf(Workspace& work, const TensorValue& target) {
  Choices& choices = work.choices;
  const DataType dtype = target.tensor->dtype();
  constexpr double kKinds[] = {/*of itself*/ 0.4, /*flipped*/ 0.15, /*another*/ 0.25, /*new*/ 0.2};
  const size_t kind = choices.weighted(kKinds);
  if (kind == 0) {
    constexpr OpKind kOps[] = {OpKind::Neg, OpKind::Abs, OpKind::Relu, OpKind::Sin, OpKind::Tanh};
    const OpKind op = choices.pick(kOps);
    if (work.policy.opAllowed(op, dtype) && isFloating(dtype)) {
      const Estimate estimate = pointwiseEstimate(op, {&target.estimate, 1}, dtype);
      return static_cast<int64_t>(work.keep(build::unary(*work.fusion, op, target.tensor, work.freshName()), estimate));
    }
  }
  if (kind == 1 && work.policy.opAllowed(OpKind::Flip) && target.tensor->rank() > 0) {
    const std::vector<int64_t> dims{static_cast<int64_t>(choices.index(target.tensor->rank()))};
    return static_cast<int64_t>(work.keep(
        build::structuralTensor(*work.fusion, OpKind::Flip, {target.tensor}, Attributes().dims(dims), work.freshName()),
        target.estimate));
  }
  const auto fits = [&](const TensorValue& value) {
    if (value.sizes != target.sizes || !castIsDefined(value, dtype)) return false;
    const std::vector<IterDomain*> wanted = target.tensor->axes(), given = value.tensor->axes();
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i]->isBroadcast() && !given[i]->isBroadcast()) return false;
    }
    return true;
  };
  if (kind < 3) {
    const int64_t found = drawTensor(work, fits);
    if (found >= 0) return found;
  }
  std::vector<AxisPlan> shape;
  const std::vector<IterDomain*> axes = target.tensor->axes();
  for (size_t i = 0; i < axes.size(); ++i) {
    const bool one = axes[i]->isBroadcast() || choices.chance(0.1);
    const Sizes sizes{target.sizes[0][i], target.sizes[1][i]};
    shape.push_back(one ? AxisPlan{IterType::Broadcast, false, {1, 1}} : AxisPlan{IterType::Iteration, false, sizes});
  }
  const size_t source = newSource(work, dtype, shape);
  const TensorValue& made = work.tensors[source];
  const bool suits = made.tensor->rank() == axes.size();
  return suits ? static_cast<int64_t>(source) : -1;
}

}  // namespace

void widenMemory(Workspace& work, const TensorView* target, const Estimate& written) {
  for (TensorValue& value : work.tensors) {
    if (sharesMemory(value.tensor, target)) value.estimate = hull(value.estimate, written);
  }
}

bool mayUpdate(const Workspace& work, const TensorView* target) {
  return work.policy.opAllowed(OpKind::Update) && takesUpdates(work, target) && !hasUncertainViews(work, target);
}

bool applyUpdate(Workspace& work) {
  if (work.fusion->hasDevices() || work.fusion->hasStreams()) return false;
  const auto suits = [&](const TensorValue& value) { return takesUpdates(work, value.tensor); };
  const int64_t found = drawTensor(work, suits);
  if (found < 0) return false;
  auto place = static_cast<size_t>(found);
  if (hasUncertainViews(work, work.tensors[place].tensor)) return false;
  for (int64_t views = work.choices.integer(0, 2); views > 0; --views) {
    place = drawView(work, place);
    if (!suits(work.tensors[place])) return false;
  }
  const TensorValue target = work.tensors[place];
  const int64_t source = drawSourceOf(work, target);
  if (source < 0) return false;
  const TensorValue written = work.tensors[static_cast<size_t>(source)];
  build::update(*work.fusion, target.tensor, written.tensor);
  widenMemory(work, target.tensor, convertEstimate(written.estimate, written.tensor->dtype(), target.tensor->dtype()));
  return true;
}

}  // namespace fuser::fuzz
