// Ops that read or write at indices: a tensor of indices is a new input, counts, or what a remainder makes of integers.
// Indices are in range in every run, but for a bad one now and then, which the run is to be rejected for.

#include <algorithm>
#include <functional>
#include <optional>

#include "fuser/case/recipe_data.h"
#include "fuser/ir/builder.h"
#include "fuzz/generate/exact_draws.h"
#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {
namespace {

// The sizes that indices have: along `dim` any, along the others those of the tensor, fewer, or 1.
std::vector<AxisPlan> drawIndexShape(Workspace& work, const TensorValue& value, size_t dim) {
  Choices& choices = work.choices;
  std::vector<AxisPlan> shape;
  const bool lessAlong = choices.chance(0.15);
  for (size_t axis = 0; axis < value.tensor->rank(); ++axis) {
    const Sizes own{value.sizes[0][axis], value.sizes[1][axis]};
    if (axis == dim) {
      const Sizes free = choices.chance(0.3) || work.policy.axes.empty() ? own : choices.pick(work.policy.axes).sizes;
      shape.push_back({IterType::Iteration, false, choices.chance(0.1) ? Sizes{1, 1} : free});
    } else if (own == Sizes{1, 1} && value.tensor->axes()[axis]->isBroadcast()) {
      shape.push_back({IterType::Broadcast, false, own});
    } else if (lessAlong && choices.chance(0.5)) {
      const int64_t least = std::min(own[0], own[1]), size = choices.chance(0.5) ? 1 : (least + 1) / 2;
      const bool one = size == 1 && least > 0;
      shape.push_back({one ? IterType::Broadcast : IterType::Iteration, false,
                       one ? Sizes{1, 1} : Sizes{std::min(size, least), std::min(size, least)}});
    } else {
      shape.push_back({IterType::Iteration, choices.chance(work.policy.expandedAxis), own});
      if (shape.back().expanded) shape.back().type = IterType::Broadcast;
    }
  }
  return shape;
}

// Any number in [0, size), few of them so that they repeat, or one alone.
size_t newIndices(Workspace& work, DataType dtype, const std::vector<AxisPlan>& shape, int64_t size) {
  Choices& choices = work.choices;
  Recipe recipe;
  recipe.kind = RecipeKind::Integers;
  constexpr double kKinds[] = {/*any*/ 0.6, /*few*/ 0.25, /*one*/ 0.15};
  const size_t kind = choices.weighted(kKinds);
  const int64_t count = kind == 0 ? size : kind == 1 ? std::min<int64_t>(size, 3) : 1;
  const int64_t low = choices.integer(0, size - count);
  recipe.low = static_cast<double>(low);
  recipe.high = static_cast<double>(low + count);
  return newInput(work, dtype, shape, recipe, {recipe.low, recipe.high - 1, true, false});
}

// One index that no run has an element for.
void makeBad(Workspace& work, size_t indices, const Sizes& sizes) {
  Choices& choices = work.choices;
  const auto plan = std::find_if(work.inputs.begin(), work.inputs.end(),
                                 [&](const InputPlan& each) { return each.input == work.tensors[indices].tensor; });
  const int64_t beyond = choices.chance(0.5) ? 0 : choices.integer(0, 1000);
  Peak peak;
  peak.value = static_cast<double>(choices.chance(0.4) ? -1 - beyond : std::max(sizes[0], sizes[1]) + beyond);
  peak.axis = kAllAxes;
  // Of elements that share memory, the last one's number counts.
  const std::vector<IterDomain*> axes = work.tensors[indices].tensor->axes();
  const bool isShared =
      std::any_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis->isExpanded(); });
  peak.index = !isShared && choices.chance(0.5) ? 0 : -1;
  plan->recipe.peak = peak;
  work.badIndices.push_back(work.tensors[indices].tensor);
}

// Integers of the shape that exist, brought into the range of an axis. -1: there are none.
int64_t drawComputed(Workspace& work, const std::array<Dims, kRuns>& sizes, const TensorValue& value, size_t dim) {
  const Sizes range{value.sizes[0][dim], value.sizes[1][dim]};
  const IntExpr extent = value.tensor->axes()[dim]->size();
  if (!work.policy.opAllowed(OpKind::Remainder) || !work.policy.opAllowed(OpKind::Size)) return -1;
  const int64_t found = drawTensor(work, [&](const TensorValue& each) {
    const DataType dtype = each.tensor->dtype();
    return each.sizes == sizes && (dtype == DataType::Int64 || dtype == DataType::Int32);
  });
  if (found < 0) return -1;
  Val* size = extent->isConstant()
                  ? static_cast<Val*>(work.fusion->newConstant(ScalarValue(extent->value)))
                  : build::size(*work.fusion, value.tensor, static_cast<int64_t>(dim), work.freshName());
  if (!extent->isConstant()) work.keepScalar(size, {range[0], range[1]});
  Val* result = build::binary(*work.fusion, OpKind::Remainder, work.tensors[static_cast<size_t>(found)].tensor, size,
                              work.freshName());
  const auto most = static_cast<double>(std::max(range[0], range[1]));
  return static_cast<int64_t>(work.keep(result, {0, most - 1, true, false}));
}

// Counts along `dim`, upwards or downwards, for each place along the others: what is proved to be in range. -1: the ops
// that make them are not allowed.
int64_t drawCounts(Workspace& work, std::vector<AxisPlan> shape, const TensorValue& value, size_t dim) {
  Fusion& fusion = *work.fusion;
  IntExprArena& ints = fusion.ints();
  if (!work.policy.opAllowed(OpKind::Arange) || !work.policy.opAllowed(OpKind::Expand)) return -1;
  shape[dim].sizes = {value.sizes[0][dim], value.sizes[1][dim]};
  if (!work.affordable(sizesOf(shape))) return -1;
  const IntExpr count = value.tensor->axes()[dim]->size();
  const bool rises = work.choices.chance(0.5);
  const IntExpr first = rises ? ints.constant(0) : ints.sub(count, ints.constant(1));
  TensorView* counts = build::arange(fusion, first, rises ? count : ints.constant(-1), ints.constant(rises ? 1 : -1),
                                     DataType::Int64, work.freshName());
  std::vector<int64_t> added;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis != dim) added.push_back(static_cast<int64_t>(axis));
  }
  if (!added.empty()) counts = build::unsqueeze(fusion, counts, added, work.freshName());
  std::vector<IntExpr> sizes;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const bool kept = axis == dim || shape[axis].sizes == Sizes{1, 1};
    sizes.push_back(kept ? ints.constant(-1) : drawExtent(work, shape[axis].sizes));
    if (!sizes.back()) return -1;
  }
  TensorView* expanded = build::expand(fusion, counts, sizes, work.freshName());
  const auto most = static_cast<double>(std::max(shape[dim].sizes[0], shape[dim].sizes[1]));
  return static_cast<int64_t>(work.keep(expanded, {0, std::max(most - 1, 0.0), true, false}));
}

// A tensor, one of its axes, and indices along it.
struct Indexing {
  size_t operand;
  size_t dim;
  size_t indices;
};

std::optional<Indexing> drawIndexed(Workspace& work, const std::function<bool(const TensorValue&)>& suits) {
  Choices& choices = work.choices;
  int64_t operand = choices.chance(work.policy.newInput) ? -1 : drawTensor(work, suits);
  if (operand < 0) operand = static_cast<int64_t>(drawSource(work));
  const TensorValue value = work.tensors[static_cast<size_t>(operand)];
  if (!suits(value)) return std::nullopt;
  const size_t dim = choices.index(value.tensor->rank());
  const Sizes range{value.sizes[0][dim], value.sizes[1][dim]};
  const int64_t least = std::min(range[0], range[1]);
  std::vector<AxisPlan> shape = drawIndexShape(work, value, dim);
  if (least == 0) shape[dim].sizes = {0, 0};  // no index has an element
  const std::array<Dims, kRuns> sizes = sizesOf(shape);
  if (!work.affordable(sizes)) return std::nullopt;
  constexpr double kKinds[] = {/*input*/ 0.6, /*computed*/ 0.25, /*counts*/ 0.15};
  const size_t kind = least == 0 ? 0 : choices.weighted(kKinds);
  int64_t indices = kind == 1   ? drawComputed(work, sizes, value, dim)
                    : kind == 2 ? drawCounts(work, shape, value, dim)
                                : -1;
  if (indices < 0 && !work.policy.inputs) return std::nullopt;
  if (indices < 0) {
    const DataType dtype = choices.chance(0.7) ? DataType::Int64 : DataType::Int32;
    indices = static_cast<int64_t>(newIndices(work, dtype, shape, std::max<int64_t>(least, 1)));
    const bool isBad = !work.options.exactData && choices.chance(0.03);
    if (isBad) makeBad(work, static_cast<size_t>(indices), range);
  }
  return Indexing{static_cast<size_t>(operand), dim, static_cast<size_t>(indices)};
}

bool isAtLeast(const std::array<Dims, kRuns>& sizes, const std::array<Dims, kRuns>& least) {
  for (size_t run = 0; run < kRuns; ++run) {
    if (sizes[run].size() != least[run].size()) return false;
    for (size_t axis = 0; axis < sizes[run].size(); ++axis) {
      if (sizes[run][axis] < least[run][axis]) return false;
    }
  }
  return true;
}

// Elements for these indices, of the dtype: a tensor that has enough of them, the one that they are scattered into
// itself among those, or a new one, a little longer now and then. -1: none is affordable.
int64_t drawElements(Workspace& work, DataType dtype, size_t indices) {
  Choices& choices = work.choices;
  const std::array<Dims, kRuns> least = work.tensors[indices].sizes;
  if (choices.chance(0.4)) {
    const int64_t found = drawTensor(
        work, [&](const TensorValue& each) { return each.tensor->dtype() == dtype && isAtLeast(each.sizes, least); });
    if (found >= 0) return found;
  }
  std::vector<AxisPlan> shape;
  for (size_t axis = 0; axis < least[0].size(); ++axis) {
    const int64_t more = choices.chance(0.1) ? 1 : 0;
    const Sizes sizes{least[0][axis] + more, least[1][axis] + more};
    const bool one = sizes == Sizes{1, 1} && choices.chance(0.8);
    shape.push_back({one ? IterType::Broadcast : IterType::Iteration, false, sizes});
  }
  if (!work.affordable(sizesOf(shape))) return -1;
  size_t source = newSource(work, dtype, shape);
  if (!isAtLeast(work.tensors[source].sizes, least)) return -1;
  if (work.tensors[source].tensor->dtype() != dtype) source = applyCast(work, source, dtype);
  return static_cast<int64_t>(source);
}

// Each element of the result goes through all indices of its column.
bool isShortSearch(const TensorValue& value, const TensorValue& indices, size_t dim) {
  constexpr int64_t kMostSteps = 1 << 16;
  for (size_t run = 0; run < kRuns; ++run) {
    if (numel(value.sizes[run]) * indices.sizes[run][dim] > kMostSteps) return false;
  }
  return true;
}

Estimate scatteredEstimate(const TensorValue& value, const TensorValue& indices, const TensorValue& source, size_t dim,
                           OpKind op) {
  if (op == OpKind::Scatter) return hull(value.estimate, source.estimate);
  const auto most = static_cast<double>(std::max(indices.sizes[0][dim], indices.sizes[1][dim]));
  Estimate sum = hull(value.estimate, source.estimate);
  sum.low = value.estimate.low + most * std::min(source.estimate.low, 0.0);
  sum.high = value.estimate.high + most * std::max(source.estimate.high, 0.0);
  return sum;
}

}  // namespace

bool applyGather(Workspace& work) {
  const std::optional<Indexing> drawn =
      drawIndexed(work, [](const TensorValue& value) { return value.tensor->rank() > 0; });
  if (!drawn) return false;
  const TensorValue value = work.tensors[drawn->operand];
  TensorView* result =
      build::structuralTensor(*work.fusion, OpKind::Gather, {value.tensor, work.tensors[drawn->indices].tensor},
                              Attributes().dim(static_cast<int64_t>(drawn->dim)), work.freshName());
  work.keep(result, value.estimate);
  return true;
}

bool applyScatter(Workspace& work, OpKind op) {
  const std::optional<Indexing> drawn = drawIndexed(work, [&](const TensorValue& value) {
    return value.tensor->rank() > 0 && acceptsDtype(op, value.tensor->dtype());
  });
  if (!drawn) return false;
  const TensorValue value = work.tensors[drawn->operand], indices = work.tensors[drawn->indices];
  if (!isShortSearch(value, indices, drawn->dim)) return false;
  const int64_t found = drawElements(work, value.tensor->dtype(), drawn->indices);
  if (found < 0) return false;
  const TensorValue source = work.tensors[static_cast<size_t>(found)];
  const Estimate estimate = scatteredEstimate(value, indices, source, drawn->dim, op);
  const int64_t terms = std::max(indices.sizes[0][drawn->dim], indices.sizes[1][drawn->dim]) + 1;
  const bool adds = op == OpKind::ScatterAdd && work.options.exactData;
  if (adds && !combinesExactly(OpKind::Sum, hull(value.estimate, source.estimate), value.tensor->dtype(), terms)) {
    return false;
  }
  TensorView* result = build::structuralTensor(*work.fusion, op, {value.tensor, indices.tensor, source.tensor},
                                               Attributes().dim(static_cast<int64_t>(drawn->dim)), work.freshName());
  work.keep(result, estimate);
  return true;
}

}  // namespace fuser::fuzz
