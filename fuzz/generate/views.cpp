// Ops that give elements other coordinates: slice, select, pad, cat, reshape, repeat, slice_scatter. Bounds and sizes
// are valid in every run; they are numbers, sizes of other axes, halves of their own, and scalars.

#include <algorithm>
#include <cmath>
#include <optional>

#include "fuser/ir/builder.h"
#include "fuser/ir/view_axes.h"
#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {
namespace {

size_t termsOf(IntExpr expr) { return expr->a ? termsOf(expr->a) + termsOf(expr->b) : 1; }

// Sizes of sizes of sizes become too long to be written.
bool isShort(const TensorValue& value, size_t limit) {
  const std::vector<IterDomain*> axes = value.tensor->axes();
  return std::all_of(axes.begin(), axes.end(), [&](const IterDomain* axis) { return termsOf(axis->size()) <= limit; });
}

// Halves of sizes whose sign is not plain from their text have long texts themselves.
bool hasHalf(IntExpr size) { return size->range.low >= 0 && termsOf(size) <= 4; }

// As for other ops: an existing value mostly, a new input sometimes and where there is none.
template <class Suits>
int64_t drawViewed(Workspace& work, Suits suits) {
  if (!work.choices.chance(work.policy.newInput)) {
    const int64_t found = drawTensor(work, suits);
    if (found >= 0) return found;
  }
  const size_t source = drawSource(work);
  return suits(work.tensors[source]) ? static_cast<int64_t>(source) : -1;
}

int64_t leastSize(const TensorValue& value, size_t axis) {
  int64_t size = value.sizes[0][axis];
  for (const Dims& sizes : value.sizes) size = std::min(size, sizes[axis]);
  return size;
}

bool isOne(const IterDomain* axis) { return axis->size()->isConstant(1); }

struct Bounds {
  IntExpr start, end;
};

Bounds drawBounds(Workspace& work, const TensorValue& value, size_t axis) {
  Choices& choices = work.choices;
  IntExprArena& ints = work.fusion->ints();
  const IntExpr size = value.tensor->axes()[axis]->size();
  const int64_t least = leastSize(value, axis);
  constexpr double kKinds[] = {/*inside*/ 0.4, /*half*/ 0.25, /*from the end*/ 0.15, /*scalar*/ 0.1, /*any*/ 0.1};
  const size_t kind = choices.weighted(kKinds);
  switch (kind == 1 && !hasHalf(size) ? 0 : kind) {
    case 0: {
      const int64_t start = choices.integer(0, std::max<int64_t>(std::min<int64_t>(least - 1, 9), 0));
      if (choices.chance(0.5)) return {ints.constant(start), size};
      return {ints.constant(start), ints.constant(choices.integer(start, std::max(least, start)))};
    }
    case 1: {
      const IntExpr half = ints.floorDiv(size, ints.constant(2));
      return choices.chance(0.5) ? Bounds{ints.constant(0), half} : Bounds{half, size};
    }
    case 2: {
      const int64_t cut = choices.integer(1, std::max<int64_t>(std::min<int64_t>(least, 9), 1));
      return choices.chance(0.5) ? Bounds{ints.constant(-cut), size} : Bounds{ints.constant(0), ints.constant(-cut)};
    }
    case 3: {
      constexpr int64_t kAny = int64_t{1} << 30;
      const IntExpr bound = termsOf(size) <= 4 ? scalarBetween(work, -kAny, kAny) : nullptr;
      if (bound) return choices.chance(0.5) ? Bounds{bound, size} : Bounds{ints.constant(0), bound};
      return {ints.constant(0), size};
    }
    default:
      return {ints.constant(choices.integer(-least - 2, least + 2)),
              ints.constant(choices.integer(-least - 2, least + 2))};
  }
}

// A value to pad with: zero mostly.
ScalarEntry drawFill(Workspace& work, DataType dtype) {
  if (!work.choices.chance(0.5)) return drawScalar(work, dtype);
  const ScalarValue zero = isFloating(dtype)         ? ScalarValue(0.0)
                           : dtype == DataType::Bool ? ScalarValue(false)
                                                     : ScalarValue(int64_t{0});
  return {work.fusion->newConstant(zero), {zero, zero}};
}

// Whether cat takes both: other axes of one size, and broadcast in both or in neither.
bool fitsBeside(const TensorValue& a, const TensorValue& b, size_t along) {
  if (a.tensor->rank() != b.tensor->rank()) return false;
  const std::vector<IterDomain*> left = a.tensor->axes(), right = b.tensor->axes();
  for (size_t axis = 0; axis < left.size(); ++axis) {
    if (axis == along) continue;
    if (isOne(left[axis]) != isOne(right[axis])) return false;
    for (size_t run = 0; run < kRuns; ++run) {
      if (a.sizes[run][axis] != b.sizes[run][axis]) return false;
    }
  }
  return true;
}

// Another operand for a cat; -1 where none came out.
int64_t drawNeighbour(Workspace& work, size_t first, size_t along) {
  const TensorValue like = work.tensors[first];
  const bool sameDtype = work.choices.chance(0.8);
  const auto suits = [&](const TensorValue& value) {
    if (sameDtype && value.tensor->dtype() != like.tensor->dtype()) return false;
    return fitsBeside(like, value, along) && isShort(value, 12);
  };
  if (!work.choices.chance(work.policy.newInput)) {
    const int64_t found = drawTensor(work, suits);
    if (found >= 0) return found;
  }
  std::vector<AxisPlan> shape;
  const std::vector<IterDomain*> axes = like.tensor->axes();
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    Sizes sizes{like.sizes[0][axis], like.sizes[1][axis]};
    if (axis == along && work.choices.chance(0.5)) {
      const int64_t size = work.choices.integer(0, 5);
      sizes = {size, size};
    }
    const bool broadcast = axis != along && isOne(axes[axis]);
    shape.push_back({broadcast ? IterType::Broadcast : IterType::Iteration, false, sizes});
  }
  const size_t source = newSource(work, sameDtype ? like.tensor->dtype() : work.drawDtype(), shape);
  return suits(work.tensors[source]) || (!sameDtype && fitsBeside(like, work.tensors[source], along))
             ? static_cast<int64_t>(source)
             : -1;
}

// A number above 1 that divides this size in every run; 0 where there is none.
int64_t drawDivisor(Workspace& work, const Sizes& sizes) {
  std::vector<int64_t> divisors;
  for (int64_t divisor : {2, 3, 4, 5, 8, 16, 32}) {
    const bool divides =
        std::all_of(sizes.begin(), sizes.end(), [&](int64_t size) { return size > 0 && size % divisor == 0; });
    if (divides) divisors.push_back(divisor);
  }
  return divisors.empty() ? 0 : work.choices.pick(divisors);
}

Sizes sizesAt(const TensorValue& value, size_t axis) { return {value.sizes[0][axis], value.sizes[1][axis]}; }

// The operand's own sizes with one place changed; a -1 beside no size of 0.
std::vector<IntExpr> drawReshape(Workspace& work, const TensorValue& value) {
  Choices& choices = work.choices;
  IntExprArena& ints = work.fusion->ints();
  std::vector<IntExpr> shape;
  for (const IterDomain* axis : value.tensor->axes()) shape.push_back(axis->size());
  const auto at = [&](size_t place) { return shape.begin() + static_cast<ptrdiff_t>(place); };
  const bool empty = numel(value.sizes[0]) == 0 || numel(value.sizes[1]) == 0;
  constexpr double kKinds[] = {/*merge*/ 0.35, /*split*/ 0.35, /*flatten*/ 0.1, /*ones*/ 0.1, /*all*/ 0.1};
  switch (choices.weighted(kKinds)) {
    case 0: {
      if (shape.size() < 2) break;
      const size_t place = choices.index(shape.size() - 1);
      shape[place] = ints.mul(shape[place], shape[place + 1]);
      shape.erase(at(place + 1));
      if (!empty && choices.chance(0.3)) shape[place] = ints.constant(-1);
      break;
    }
    case 1: {
      if (shape.empty() || shape.size() >= kMaxRank) break;
      const size_t place = choices.index(shape.size());
      const int64_t divisor = drawDivisor(work, sizesAt(value, place));
      if (divisor == 0) break;
      const bool open = !empty && choices.chance(0.5);
      const IntExpr rest = open ? ints.constant(-1) : ints.floorDiv(shape[place], ints.constant(divisor));
      const bool first = choices.chance(0.5);
      shape[place] = first ? ints.constant(divisor) : rest;
      shape.insert(at(place + 1), first ? rest : ints.constant(divisor));
      break;
    }
    case 2:
      if (empty) break;
      return {ints.constant(-1)};
    case 3: {
      const auto one = std::find_if(shape.begin(), shape.end(), [](IntExpr size) { return size->isConstant(1); });
      if (one != shape.end() && choices.chance(0.5)) {
        shape.erase(one);
      } else if (shape.size() < kMaxRank) {
        shape.insert(at(choices.index(shape.size() + 1)), ints.constant(1));
      }
      break;
    }
    default: {
      const int64_t divisor = drawDivisor(work, {numel(value.sizes[0]), numel(value.sizes[1])});
      if (divisor > 0) return {ints.constant(divisor), ints.constant(-1)};
      std::reverse(shape.begin(), shape.end());
    }
  }
  return shape;
}

// Taken apart and put together again, as rotary embeddings and gated units do: slices that follow each other along one
// axis, one op of each of them, a cat.
bool applySplitAndCat(Workspace& work) {
  Choices& choices = work.choices;
  const int64_t operand =
      drawViewed(work, [](const TensorValue& value) { return value.tensor->rank() > 0 && isShort(value, 4); });
  if (operand < 0) return false;
  const TensorValue value = work.tensors[operand];
  IntExprArena& ints = work.fusion->ints();
  const size_t axis = choices.index(value.tensor->rank());
  const IntExpr size = value.tensor->axes()[axis]->size();
  std::vector<IntExpr> cuts{ints.constant(0)};
  const int64_t least = leastSize(value, axis);
  if (choices.chance(0.5) && hasHalf(size)) {
    cuts.push_back(ints.floorDiv(size, ints.constant(2)));
  } else {
    cuts.push_back(ints.constant(choices.integer(0, least)));
    if (choices.chance(0.4)) cuts.push_back(ints.constant(choices.integer(cuts[1]->value, least)));
  }
  cuts.push_back(size);
  constexpr OpKind kBetween[] = {OpKind::Neg, OpKind::Abs, OpKind::Relu, OpKind::Sin, OpKind::Tanh, OpKind::Sigmoid};
  const OpKind between = choices.pick(kBetween);
  const DataType dtype = value.tensor->dtype();
  const bool computes = choices.chance(0.6) && work.policy.opAllowed(between, dtype) && isFloating(dtype);
  const Estimate parts[] = {value.estimate};
  const Estimate estimate = computes ? pointwiseEstimate(between, parts, dtype) : value.estimate;
  std::vector<Val*> operands;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    TensorView* part = build::slice(*work.fusion, value.tensor, static_cast<int64_t>(axis), cuts[i], cuts[i + 1],
                                    ints.constant(1), work.freshName());
    operands.push_back(computes ? build::unary(*work.fusion, between, part, work.freshName()) : part);
  }
  if (choices.chance(0.15)) choices.shuffle(operands);
  work.keep(build::cat(*work.fusion, operands, static_cast<int64_t>(axis), work.freshName()), estimate);
  return true;
}

struct DrawnSlice {
  TensorValue value;
  Attributes attributes;
};

// A slice of a tensor whose sizes have at most so many terms; none where no tensor suits.
std::optional<DrawnSlice> drawSlice(Workspace& work, size_t mostTerms) {
  const int64_t operand =
      drawViewed(work, [&](const TensorValue& value) { return value.tensor->rank() > 0 && isShort(value, mostTerms); });
  if (operand < 0) return std::nullopt;
  const TensorValue value = work.tensors[operand];
  const size_t axis = work.choices.index(value.tensor->rank());
  const Bounds bounds = drawBounds(work, value, axis);
  constexpr int64_t kSteps[] = {1, 1, 1, 1, 1, 2, 2, 3};
  const IntExpr scalar = work.choices.chance(0.1) ? scalarBetween(work, 1, 9) : nullptr;
  const IntExpr step = scalar ? scalar : work.fusion->ints().constant(work.choices.pick(kSteps));
  return DrawnSlice{value, Attributes().dim(static_cast<int64_t>(axis)).start(bounds.start).end(bounds.end).step(step)};
}

}  // namespace

bool applySlice(Workspace& work) {
  const std::optional<DrawnSlice> drawn = drawSlice(work, 10);
  if (!drawn) return false;
  work.keep(
      build::structuralTensor(*work.fusion, OpKind::Slice, {drawn->value.tensor}, drawn->attributes, work.freshName()),
      drawn->value.estimate);
  return true;
}

// Of an axis that has elements in every run; a negative index now and then.
bool applySelect(Workspace& work) {
  const int64_t operand = drawViewed(work, [](const TensorValue& value) {
    return value.tensor->rank() > 0 && isShort(value, 20) && numel(value.sizes[0]) > 0 && numel(value.sizes[1]) > 0;
  });
  if (operand < 0) return false;
  const TensorValue value = work.tensors[operand];
  const size_t axis = work.choices.index(value.tensor->rank());
  const int64_t least = leastSize(value, axis);
  const IntExpr scalar = work.choices.chance(0.15) ? scalarBetween(work, -least, least - 1) : nullptr;
  const IntExpr index = scalar ? scalar : work.fusion->ints().constant(work.choices.integer(-least, least - 1));
  work.keep(build::structuralTensor(*work.fusion, OpKind::Select, {value.tensor},
                                    Attributes().dim(static_cast<int64_t>(axis)).index(index), work.freshName()),
            value.estimate);
  return true;
}

bool applyUnfold(Workspace& work) {
  const int64_t operand = drawViewed(work, [](const TensorValue& value) {
    return value.tensor->rank() > 0 && value.tensor->rank() < kMaxRank && isShort(value, 20);
  });
  if (operand < 0) return false;
  const TensorValue value = work.tensors[operand];
  const size_t axis = work.choices.index(value.tensor->rank());
  const int64_t least = leastSize(value, axis);
  const auto drawn = [&](int64_t low, int64_t high, double chance) {
    const IntExpr scalar = work.choices.chance(chance) ? scalarBetween(work, low, high) : nullptr;
    return scalar ? scalar : work.fusion->ints().constant(work.choices.integer(low, high));
  };
  const IntExpr window =
      drawn(work.choices.chance(0.05) ? 0 : std::min<int64_t>(least, 1), std::min<int64_t>(least, 5), 0.15);
  const IntExpr spacing = drawn(1, 4, 0.1);
  std::array<Dims, kRuns> sizes = value.sizes;
  for (size_t run = 0; run < kRuns; ++run) {
    const int64_t places = work.sizeOf(window, run);
    sizes[run][axis] = (sizes[run][axis] - places) / work.sizeOf(spacing, run) + 1;
    sizes[run].push_back(places);
  }
  if (!work.affordable(sizes)) return false;
  const Attributes attributes = Attributes().dim(static_cast<int64_t>(axis)).window(window).spacing(spacing);
  work.keep(build::structuralTensor(*work.fusion, OpKind::Unfold, {value.tensor}, attributes, work.freshName()),
            value.estimate);
  return true;
}

// What is written into a slice: what an op makes of the slice itself, as an update in place does, another tensor of its
// sizes, or a new one. -1 where none came out.
int64_t drawWritten(Workspace& work, const TensorValue& target, size_t axis, const Attributes& attributes) {
  Choices& choices = work.choices;
  Fusion& fusion = *work.fusion;
  if (work.policy.opAllowed(OpKind::Slice) && choices.chance(0.4)) {
    TensorView* slice = build::slice(fusion, target.tensor, attributes.dim(), attributes.start(), attributes.end(),
                                     attributes.step(), work.freshName());
    const size_t kept = work.keep(slice, target.estimate);
    constexpr OpKind kOps[] = {OpKind::Neg, OpKind::Abs, OpKind::Relu, OpKind::Sin, OpKind::Tanh};
    const OpKind op = choices.pick(kOps);
    if (!work.policy.opAllowed(op, slice->dtype()) || !isFloating(slice->dtype())) return static_cast<int64_t>(kept);
    const Estimate estimate = pointwiseEstimate(op, {&target.estimate, 1}, slice->dtype());
    return static_cast<int64_t>(work.keep(build::unary(fusion, op, slice, work.freshName()), estimate));
  }
  const SliceBounds bounds = sliceBounds(fusion.ints(), target.tensor->axes()[axis]->size(), attributes);
  std::array<Dims, kRuns> sizes = target.sizes;
  for (size_t run = 0; run < kRuns; ++run) sizes[run][axis] = work.sizeOf(bounds.size, run);
  const int64_t found = drawTensor(work, [&](const TensorValue& value) {
    return value.sizes == sizes && castIsDefined(value, target.tensor->dtype()) && isShort(value, 12);
  });
  if (found >= 0 && choices.chance(0.6)) return found;
  std::vector<AxisPlan> shape;
  for (size_t i = 0; i < sizes[0].size(); ++i) {
    const bool one = isOne(target.tensor->axes()[i]) && sizes[0][i] == 1 && sizes[1][i] == 1;
    shape.push_back({one ? IterType::Broadcast : IterType::Iteration, false, {sizes[0][i], sizes[1][i]}});
  }
  if (!work.affordable(sizes)) return -1;
  const size_t source = newSource(work, target.tensor->dtype(), shape);
  return work.tensors[source].sizes == sizes ? static_cast<int64_t>(source) : -1;
}

bool applySliceScatter(Workspace& work) {
  const std::optional<DrawnSlice> drawn = drawSlice(work, 8);
  if (!drawn) return false;
  const TensorValue target = drawn->value;
  const int64_t source = drawWritten(work, target, static_cast<size_t>(drawn->attributes.dim()), drawn->attributes);
  if (source < 0) return false;
  const TensorValue written = work.tensors[source];
  const DataType dtype = target.tensor->dtype();
  work.keep(build::structuralTensor(*work.fusion, OpKind::SliceScatter, {target.tensor, written.tensor},
                                    drawn->attributes, work.freshName()),
            hull(target.estimate, convertEstimate(written.estimate, written.tensor->dtype(), dtype)));
  return true;
}

bool applyPad(Workspace& work) {
  const int64_t operand =
      drawViewed(work, [](const TensorValue& value) { return value.tensor->rank() > 0 && isShort(value, 20); });
  if (operand < 0) return false;
  const TensorValue value = work.tensors[operand];
  const size_t rank = value.tensor->rank();
  constexpr size_t kPadded[] = {1, 1, 1, 1, 1, 2, 2, 3, kMaxRank, kMaxRank};
  const size_t padded = std::min(rank, work.choices.pick(kPadded));
  std::array<Dims, kRuns> sizes = value.sizes;
  std::vector<IntExpr> pads;
  for (size_t i = 0; i < padded; ++i) {
    const size_t axis = rank - 1 - i;
    int64_t removable = leastSize(value, axis);
    for (int side = 0; side < 2; ++side) {
      constexpr int64_t kPads[] = {0, 0, 1, 1, 2, 3, -1, -2, 7};
      const int64_t number = std::max(work.choices.pick(kPads), -removable);
      removable += std::min<int64_t>(number, 0);
      const IntExpr scalar = work.choices.chance(0.15) ? scalarBetween(work, 0, 16) : nullptr;
      pads.push_back(scalar ? scalar : work.fusion->ints().constant(number));
      for (size_t run = 0; run < kRuns; ++run) sizes[run][axis] += work.sizeOf(pads.back(), run);
    }
  }
  if (!work.affordable(sizes)) return false;
  const DataType dtype = value.tensor->dtype();
  const ScalarEntry fill = drawFill(work, dtype);
  const Estimate around = hull(pointEstimate(fill.values[0]), pointEstimate(fill.values[1]));
  work.keep(build::pad(*work.fusion, value.tensor, pads, fill.scalar, work.freshName()),
            hull(value.estimate, convertEstimate(around, fill.scalar->dtype(), dtype)));
  return true;
}

bool applyCat(Workspace& work) {
  if (work.policy.opAllowed(OpKind::Slice) && work.choices.chance(0.3)) return applySplitAndCat(work);
  const int64_t first =
      drawViewed(work, [](const TensorValue& value) { return value.tensor->rank() > 0 && isShort(value, 12); });
  if (first < 0) return false;
  const size_t along = work.choices.index(work.tensors[first].tensor->rank());
  std::vector<size_t> places{static_cast<size_t>(first)};
  const int64_t count = work.choices.chance(0.7) ? 2 : work.choices.integer(1, 4);
  std::array<Dims, kRuns> sizes = work.tensors[first].sizes;
  for (int64_t i = 1; i < count; ++i) {
    const int64_t next = drawNeighbour(work, places[0], along);
    if (next < 0) return false;
    places.push_back(static_cast<size_t>(next));
    for (size_t run = 0; run < kRuns; ++run) sizes[run][along] += work.tensors[next].sizes[run][along];
  }
  if (!work.affordable(sizes)) return false;
  work.choices.shuffle(places);
  std::vector<Val*> operands;
  for (size_t place : places) operands.push_back(work.tensors[place].tensor);
  TensorView* result = build::cat(*work.fusion, operands, static_cast<int64_t>(along), work.freshName());
  const auto converted = [&](size_t place) {
    return convertEstimate(work.tensors[place].estimate, work.tensors[place].tensor->dtype(), result->dtype());
  };
  Estimate estimate = converted(places[0]);
  for (size_t place : places) estimate = hull(estimate, converted(place));
  work.keep(result, estimate);
  return true;
}

// Whether a reduction is among the last few ops on the way to the value.
bool isNearReduction(const Val* val, int ops) {
  const Expr* maker = val->definition();
  if (!maker || ops == 0) return false;
  const auto near = [&](const Val* operand) { return isNearReduction(operand, ops - 1); };
  return isReduction(maker->op()) || std::any_of(maker->inputs().begin(), maker->inputs().end(), near);
}

// Rows that were normalised, say: a reshape of them runs in the kernel of their reductions.
int64_t drawNearReduction(Workspace& work) {
  return drawTensor(work, [](const TensorValue& value) {
    const Expr* maker = value.tensor->definition();
    return isShort(value, 5) && value.tensor->rank() > 0 && maker && !isReduction(maker->op()) &&
           isNearReduction(value.tensor, 5);
  });
}

bool applyReshape(Workspace& work) {
  int64_t operand = work.choices.chance(0.8) ? drawNearReduction(work) : -1;
  if (operand < 0) operand = drawViewed(work, [](const TensorValue& value) { return isShort(value, 5); });
  if (operand < 0) return false;
  const TensorValue value = work.tensors[operand];
  const std::vector<IntExpr> shape = drawReshape(work, value);
  work.keep(build::reshape(*work.fusion, value.tensor, shape, work.freshName()), value.estimate);
  return true;
}

bool applyRepeat(Workspace& work) {
  const int64_t operand = drawViewed(work, [](const TensorValue& value) { return isShort(value, 16); });
  if (operand < 0) return false;
  const TensorValue value = work.tensors[operand];
  const size_t rank = value.tensor->rank();
  const size_t added = rank < kMaxRank && work.choices.chance(0.25) ? 1 : 0;
  std::vector<IntExpr> repeats;
  std::array<Dims, kRuns> sizes;
  for (size_t i = 0; i < rank + added; ++i) {
    constexpr int64_t kRepeats[] = {1, 1, 1, 2, 2, 3, 0};
    const IntExpr scalar = work.choices.chance(0.15) ? scalarBetween(work, 0, 8) : nullptr;
    repeats.push_back(scalar ? scalar : work.fusion->ints().constant(work.choices.pick(kRepeats)));
    for (size_t run = 0; run < kRuns; ++run) {
      sizes[run].push_back(work.sizeOf(repeats.back(), run) * (i < added ? 1 : value.sizes[run][i - added]));
    }
  }
  if (!work.affordable(sizes)) return false;
  work.keep(build::repeat(*work.fusion, value.tensor, repeats, work.freshName()), value.estimate);
  return true;
}

}  // namespace fuser::fuzz
