// Ops that move, make or reduce data: how each family picks its operands.

#include <algorithm>
#include <cmath>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuzz/generate/exact_draws.h"
#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {
namespace {

bool anyTensor(const TensorValue&) { return true; }

// An existing value mostly; a new input sometimes, and always where there is no value.
size_t drawOperand(Workspace& work) {
  const int64_t found = work.choices.chance(work.policy.newInput) ? -1 : drawTensor(work, anyTensor);
  return found >= 0 ? static_cast<size_t>(found) : drawSource(work);
}

Sizes axisSizes(const TensorValue& value, size_t axis) { return {value.sizes[0][axis], value.sizes[1][axis]}; }

bool isPlainBroadcast(const IterDomain* axis) { return axis->isBroadcast() && !axis->isExpanded(); }

}  // namespace

bool castIsDefined(const TensorValue& value, DataType to) {
  const DataType from = value.tensor->dtype();
  if (!isFloating(from) || isFloating(to) || to == DataType::Bool) return true;
  // What is not certain may be off by a factor, or of the other sign: narrow and unsigned integers have no room for
  // that.
  if ((dtypeSize(to) < 4 || isUnsigned(to)) && !value.estimate.certain) return false;
  if (isUnsigned(to) && value.estimate.low < 0) return false;
  const double limit = value.estimate.certain ? saneMagnitude(to) : 1e6;
  return !value.estimate.wild && value.estimate.magnitude() <= limit;
}

namespace {

bool applyCastOp(Workspace& work) {
  const size_t operand = drawOperand(work);
  const DataType before = work.tensors[operand].tensor->dtype();
  if (const std::optional<size_t> stored = applyStore(work, operand)) {
    applyCast(work, *stored, castIsDefined(work.tensors[*stored], before) ? before : DataType::Float);
    return true;
  }
  DataType dtype = work.drawDtype();
  if (!castIsDefined(work.tensors[operand], dtype)) dtype = DataType::Float;
  // Steered: where it fits.
  const Estimate converted =
      convertEstimate(work.tensors[operand].estimate, work.tensors[operand].tensor->dtype(), dtype);
  const bool isTooWide = converted.wild || (work.options.exactData && converted.magnitude() > exactMagnitude(dtype));
  if (work.policy.steered && isTooWide && !work.tensors[operand].estimate.wild) dtype = DataType::Double;
  applyCast(work, operand, dtype);
  return true;
}

// The bits of a float as an integer, or an integer as a float's bits: small numbers mostly, and any.
bool applyBitcast(Workspace& work) {
  const int64_t operand =
      drawTensor(work, [](const TensorValue& value) { return bitsDtype(value.tensor->dtype()).has_value(); });
  if (operand < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(operand)];
  const DataType dtype = value.tensor->dtype();
  constexpr DataType kOfInt32[] = {DataType::Float, DataType::Float, DataType::Half, DataType::BFloat16};
  const DataType to = dtype == DataType::Int32 ? work.choices.pick(kOfInt32) : *bitsDtype(dtype);
  TensorView* result =
      build::structuralTensor(*work.fusion, OpKind::Bitcast, {value.tensor}, Attributes().dtype(to), work.freshName());
  work.keep(result, wildEstimate());
  return true;
}

bool applyLoadStore(Workspace& work, OpKind op) {
  const size_t operand = drawOperand(work);
  const TensorValue value = work.tensors[operand];
  TensorView* result = op == OpKind::SegmentSet ? build::segmentSet(*work.fusion, value.tensor, work.freshName())
                                                : build::set(*work.fusion, value.tensor, work.freshName());
  work.keep(result, value.estimate);
  return true;
}

// The axes go away again, mostly after an op that nobody else reads the result of.
void squeezeBack(Workspace& work, const TensorValue& value, TensorView* tensor, const std::vector<int64_t>& places) {
  const DataType dtype = tensor->dtype();
  Estimate estimate = value.estimate;
  if (work.policy.opAllowed(OpKind::Neg, dtype) && work.choices.chance(0.7)) {
    tensor = build::unary(*work.fusion, OpKind::Neg, tensor, work.freshName())->as<TensorView>();
    estimate = pointwiseEstimate(OpKind::Neg, {&value.estimate, 1}, dtype);
  } else if (work.policy.opAllowed(OpKind::Set)) {
    tensor = build::set(*work.fusion, tensor, work.freshName());
  }
  work.keep(build::squeeze(*work.fusion, tensor, places, work.freshName()), estimate);
}

bool applyUnsqueeze(Workspace& work) {
  const TensorValue value = work.tensors[drawOperand(work)];
  const int64_t rank = static_cast<int64_t>(value.tensor->rank());
  if (rank >= kMaxRank) return false;
  const int64_t added = work.choices.chance(0.2) ? std::min<int64_t>(2, kMaxRank - rank) : 1;
  std::vector<int64_t> places;
  for (int64_t place = 0; place < rank + added; ++place) places.push_back(place);
  work.choices.shuffle(places);
  places.resize(added);
  TensorView* tensor = build::unsqueeze(*work.fusion, value.tensor, places, work.freshName());
  const bool squeezes = work.policy.opAllowed(OpKind::Squeeze) && work.choices.chance(work.policy.squeezeBack);
  if (squeezes && !work.choices.chance(0.3)) {
    squeezeBack(work, value, tensor, places);
  } else {
    work.keep(tensor, value.estimate);
  }
  return true;
}

std::vector<int64_t> plainBroadcasts(const TensorValue& value) {
  std::vector<int64_t> axes;
  const std::vector<IterDomain*> domains = value.tensor->axes();
  for (size_t i = 0; i < domains.size(); ++i) {
    if (isPlainBroadcast(domains[i])) axes.push_back(static_cast<int64_t>(i));
  }
  return axes;
}

// Axes that can be squeezed: also those that have one element in all runs.
std::vector<int64_t> axesOfOne(const Workspace& work, const TensorValue& value) {
  if (work.policy.onesMeet == 0) return plainBroadcasts(value);
  std::vector<int64_t> axes;
  const std::vector<IterDomain*> domains = value.tensor->axes();
  for (size_t i = 0; i < domains.size(); ++i) {
    const bool symbol = domains[i]->isIteration() && !domains[i]->size()->isConstant();
    const bool one = symbol && value.sizes[0][i] == 1 && value.sizes[1][i] == 1;
    if (one || isPlainBroadcast(domains[i])) axes.push_back(static_cast<int64_t>(i));
  }
  return axes;
}

bool applySqueeze(Workspace& work) {
  const int64_t operand = drawTensor(work, [&](const TensorValue& value) { return !axesOfOne(work, value).empty(); });
  if (operand < 0) return false;
  const TensorValue value = work.tensors[operand];
  std::vector<int64_t> dims = axesOfOne(work, value);
  const int64_t kept = work.choices.pick(dims);
  std::erase_if(dims, [&](int64_t dim) { return dim != kept && work.choices.chance(0.5); });
  work.keep(build::squeeze(*work.fusion, value.tensor, dims, work.freshName()), value.estimate);
  return true;
}

bool applyPermute(Workspace& work) {
  const bool any = work.choices.chance(0.1);
  const int64_t operand = drawTensor(work, [&](const TensorValue& value) { return any || value.tensor->rank() >= 2; });
  if (operand < 0) return false;
  const TensorValue value = work.tensors[operand];
  std::vector<int64_t> dims;
  for (size_t i = 0; i < value.tensor->rank(); ++i) dims.push_back(static_cast<int64_t>(i));
  if (dims.size() >= 2 && work.choices.chance(0.5)) {
    std::rotate(dims.begin(), dims.begin() + static_cast<ptrdiff_t>(1 + work.choices.index(dims.size() - 1)),
                dims.end());
  } else {
    work.choices.shuffle(dims);
  }
  work.keep(build::permute(*work.fusion, value.tensor, dims, work.freshName()), value.estimate);
  return true;
}

// One axis mostly, seldom all.
bool applyFlip(Workspace& work) {
  const TensorValue value = work.tensors[drawOperand(work)];
  std::vector<int64_t> dims;
  for (size_t i = 0; i < value.tensor->rank(); ++i) dims.push_back(static_cast<int64_t>(i));
  if (!dims.empty() && !work.choices.chance(0.15)) {
    work.choices.shuffle(dims);
    dims.resize(static_cast<size_t>(work.choices.integer(1, std::min<int64_t>(2, static_cast<int64_t>(dims.size())))));
  }
  work.keep(
      build::structuralTensor(*work.fusion, OpKind::Flip, {value.tensor}, Attributes().dims(dims), work.freshName()),
      value.estimate);
  return true;
}

// Sizes for an axis that nothing fixes: one of the main shape's, or a small number.
Sizes drawFreeSizes(Workspace& work) {
  if (!work.policy.axes.empty() && work.choices.chance(0.85)) return work.choices.pick(work.policy.axes).sizes;
  const int64_t size = drawSize(work.choices, 16);
  return {size, size};
}

// The sizes that an expand gives an axis; none: it keeps its own.
std::optional<Sizes> drawExpanded(Workspace& work, const TensorValue& value, size_t axis) {
  const IterDomain* domain = value.tensor->axes()[axis];
  if (isPlainBroadcast(domain)) return work.choices.chance(0.2) ? std::nullopt : std::optional(drawFreeSizes(work));
  const Sizes own{value.sizes[0][axis], value.sizes[1][axis]};
  const bool isOne = own[0] == 1 || own[1] == 1;
  if (!isOne || domain->size()->isConstant() || !work.choices.chance(work.policy.onesMeet)) return std::nullopt;
  Sizes sizes = drawFreeSizes(work);
  for (size_t run = 0; run < kRuns; ++run) sizes[run] = own[run] == 1 ? sizes[run] : own[run];
  return sizes;
}

bool applyExpand(Workspace& work) {
  const TensorValue value = work.tensors[drawOperand(work)];
  const std::vector<IterDomain*> axes = value.tensor->axes();
  std::array<Dims, kRuns> sizes;
  std::vector<std::optional<Sizes>> wanted;  // none: kept
  const size_t added = axes.size() < kMaxRank && work.choices.chance(0.3) ? 1 : 0;
  for (size_t i = 0; i < axes.size() + added; ++i) {
    wanted.push_back(i < added ? std::optional(drawFreeSizes(work)) : drawExpanded(work, value, i - added));
    for (size_t run = 0; run < kRuns; ++run)
      sizes[run].push_back(wanted[i] ? (*wanted[i])[run] : value.sizes[run][i - added]);
  }
  if (!work.affordable(sizes)) return false;
  std::vector<IntExpr> shape;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool named = !wanted[i] && work.choices.chance(0.3);
    if (wanted[i]) {
      shape.push_back(drawExtent(work, *wanted[i]));
    } else if (named && !axes[i - added]->isBroadcast()) {
      shape.push_back(axes[i - added]->extent());
    } else {
      shape.push_back(work.fusion->ints().constant(-1));
    }
  }
  work.keep(build::expand(*work.fusion, value.tensor, shape, work.freshName()), value.estimate);
  return true;
}

// n + 1, 2 n, n // 2 of what is there already.
IntExpr derivedExtent(Workspace& work, IntExpr extent) {
  IntExprArena& ints = work.fusion->ints();
  switch (work.choices.index(3)) {
    case 0: return ints.add(extent, ints.constant(1));
    case 1: return ints.mul(extent, ints.constant(2));
    default: return ints.floorDiv(extent, ints.constant(2));
  }
}

bool applyFull(Workspace& work) {
  std::array<Dims, kRuns> sizes;
  std::vector<AxisPlan> shape = drawShape(work);
  for (const AxisPlan& axis : shape) {
    for (size_t run = 0; run < kRuns; ++run) sizes[run].push_back(axis.sizes[run]);
  }
  if (!work.affordable(sizes)) return false;
  std::vector<IntExpr> extents;
  for (const AxisPlan& axis : shape) extents.push_back(drawExtent(work, axis.sizes));
  if (!extents.empty() && work.choices.chance(0.1)) {
    const size_t at = work.choices.index(extents.size());
    const IntExpr derived = derivedExtent(work, extents[at]);
    for (size_t run = 0; run < kRuns; ++run) sizes[run][at] = work.sizeOf(derived, run);
    if (work.affordable(sizes)) extents[at] = derived;
  }
  const DataType dtype = work.drawDtype();
  const ScalarEntry fill = drawScalar(work, dtype);
  const Estimate estimate = hull(pointEstimate(fill.values[0]), pointEstimate(fill.values[1]));
  work.keep(build::full(*work.fusion, extents, fill.scalar, dtype, work.freshName()),
            convertEstimate(estimate, fill.scalar->dtype(), dtype));
  return true;
}

// As long as some axis, from a small number or a scalar, in steps that keep the last number small.
bool applyRange(Workspace& work) {
  Choices& choices = work.choices;
  const Sizes sizes = drawFreeSizes(work);
  std::array<Dims, kRuns> shape;
  for (size_t run = 0; run < kRuns; ++run) shape[run].push_back(sizes[run]);
  if (!work.affordable(shape)) return false;
  constexpr int64_t kSteps[] = {1, 1, 1, -1, 2, 3, -2};
  IntExprArena& ints = work.fusion->ints();
  const IntExpr scalar = choices.chance(0.1) ? scalarBetween(work, 1, 9) : nullptr;
  const IntExpr step = scalar ? scalar : ints.constant(choices.pick(kSteps));
  const int64_t first = choices.chance(0.6) ? 0 : choices.integer(-20, 20);
  double lowest = static_cast<double>(first), highest = lowest;
  for (size_t run = 0; run < kRuns; ++run) {
    const double last = static_cast<double>(first + work.sizeOf(step, run) * sizes[run]);
    lowest = std::min(lowest, last);
    highest = std::max(highest, last);
  }
  const IntExpr start = ints.constant(first);
  const IntExpr end = ints.add(start, ints.mul(drawExtent(work, sizes), step));
  DataType dtype = work.drawDtype();
  const double most = work.options.exactData ? exactMagnitude(dtype) : saneMagnitude(dtype);
  if (dtype == DataType::Bool || std::max(-lowest, highest) > most) dtype = DataType::Int64;
  work.keep(build::arange(*work.fusion, start, end, step, dtype, work.freshName()), {lowest, highest, true, false});
  return true;
}

// Square mostly.
bool applyEye(Workspace& work) {
  const Sizes rows = drawFreeSizes(work);
  const Sizes columns = work.choices.chance(0.6) ? rows : drawFreeSizes(work);
  std::array<Dims, kRuns> sizes;
  for (size_t run = 0; run < kRuns; ++run) sizes[run] = {rows[run], columns[run]};
  if (!work.affordable(sizes)) return false;
  const IntExpr n = drawExtent(work, rows);
  Attributes attributes = Attributes().n(n).m(columns == rows ? n : drawExtent(work, columns)).dtype(work.drawDtype());
  work.keep(build::structuralTensor(*work.fusion, OpKind::Eye, {}, std::move(attributes), work.freshName()),
            {0, 1, true, false});
  return true;
}

bool applySize(Workspace& work) {
  const int64_t operand = drawTensor(work, [](const TensorValue& value) { return value.tensor->rank() > 0; });
  if (operand < 0) return false;
  const TensorValue value = work.tensors[operand];
  const size_t dim = work.choices.index(value.tensor->rank());
  const Sizes sizes = axisSizes(value, dim);
  work.keepScalar(build::size(*work.fusion, value.tensor, static_cast<int64_t>(dim), work.freshName()),
                  {sizes[0], sizes[1]});
  if (work.choices.chance(0.6)) applyScalarOp(work);
  return true;
}

bool applyItem(Workspace& work) {
  if (!work.policy.inputs) return false;
  newHostElement(work, work.drawDtype());
  if (work.choices.chance(0.6)) applyScalarOp(work);
  return true;
}

struct Reduced {
  std::vector<int64_t> dims;
  std::array<Dims, kRuns> kept;  // sizes of the other axes
  int64_t terms = 1;             // of the longer run
  int64_t fewestTerms = 0;       // of the shorter one
  bool mayBeEmpty = false;
};

Reduced drawReducedAxes(Workspace& work, const TensorValue& value) {
  Choices& choices = work.choices;
  Reduced reduced;
  const size_t rank = value.tensor->rank();
  constexpr double kKinds[] = {/*last*/ 0.4, /*first*/ 0.15, /*all*/ 0.15, /*any*/ 0.3};
  const size_t kind = choices.weighted(kKinds);
  for (size_t axis = 0; axis < rank; ++axis) {
    const bool chosen = kind == 0 ? axis + 1 == rank : kind == 1 ? axis == 0 : kind == 2 || choices.chance(0.4);
    if (chosen) reduced.dims.push_back(static_cast<int64_t>(axis));
  }
  if (reduced.dims.empty() && rank > 0) reduced.dims.push_back(static_cast<int64_t>(choices.index(rank)));
  for (size_t run = 0; run < kRuns; ++run) {
    int64_t terms = 1;
    for (size_t axis = 0; axis < rank; ++axis) {
      const int64_t size = value.sizes[run][axis];
      if (std::find(reduced.dims.begin(), reduced.dims.end(), static_cast<int64_t>(axis)) == reduced.dims.end()) {
        reduced.kept[run].push_back(size);
      } else {
        terms *= size;
      }
    }
    reduced.terms = std::max(reduced.terms, terms);
    reduced.fewestTerms = run == 0 ? terms : std::min(reduced.fewestTerms, terms);
    reduced.mayBeEmpty = reduced.mayBeEmpty || terms == 0;
  }
  return reduced;
}

// Whether a reduction's operand will meet its result.
bool drawMeeting(Workspace& work, const Reduced& reduced, size_t operand) {
  return !reduced.dims.empty() && work.tensors[operand].tensor->dtype() != DataType::Bool &&
         work.choices.chance(work.policy.meetsOperand);
}

// As in a softmax or a norm: what was reduced meets what it was reduced to, along the axes that this lost.
void meetOperand(Workspace& work, size_t operand, size_t result) {
  constexpr OpKind kMeetings[] = {OpKind::Sub, OpKind::Div, OpKind::Mul, OpKind::Add, OpKind::Maximum, OpKind::Ge};
  const OpKind op = work.choices.pick(kMeetings);
  Val* both[] = {work.tensors[operand].tensor, work.tensors[result].tensor};
  if (isStored(both[0]->dtype()) || isStored(both[1]->dtype())) return;
  if (work.policy.opAllowed(op) && acceptsDtype(op, commonType(op, both))) applyBinary(work, op, operand, result);
}

// With exact data: the operand, or what of it one result can combine so many of.
size_t madeNarrow(Workspace& work, OpKind op, size_t operand, int64_t terms) {
  const DataType dtype = work.tensors[operand].tensor->dtype();
  const auto suits = [&](DataType other) {
    if (!acceptsDtype(op, other) || !work.policy.opAllowed(OpKind::Cast)) return false;
    return combinesExactly(op, convertEstimate(work.tensors[operand].estimate, dtype, other), other, terms);
  };
  if (combinesExactly(op, work.tensors[operand].estimate, dtype, terms)) return operand;
  for (const DataType other : {DataType::Float, DataType::Double, DataType::Bool}) {
    if (suits(other)) return applyCast(work, operand, other);
  }
  return operand;
}

bool applyReduction(Workspace& work, OpKind op) {
  size_t operand = drawOperand(work);
  if (!acceptsDtype(op, work.tensors[operand].tensor->dtype())) {
    const DataType dtype = work.drawDtypeFor(op);
    if (!castIsDefined(work.tensors[operand], dtype)) return false;
    operand = applyCast(work, operand, dtype);
  }
  const Reduced reduced = drawReducedAxes(work, work.tensors[operand]);
  if (!work.affordable(reduced.kept)) return false;  // many sums of nothing
  // The greatest of nothing is an error, as in PyTorch.
  const OpKind combine = opInfo(op).combine.value();
  const bool truth = opInfo(op).promotion == Promotion::Truth;
  if (reduced.mayBeEmpty && combine != OpKind::Add && combine != OpKind::Mul && !truth) return false;
  if (work.options.exactData) {
    if (!hasExactCount(op, reduced.terms) || !hasExactCount(op, reduced.fewestTerms)) return false;
    operand = madeNarrow(work, op, operand, reduced.terms);
  }
  const auto estimateOf = [&](const TensorValue& value) {
    const DataType from = value.tensor->dtype();
    const bool widens = opInfo(op).promotion == Promotion::Integral64 && !isFloating(from);
    const DataType common = truth ? DataType::Bool : widens ? DataType::Int64 : from;
    return reductionEstimate(op, convertEstimate(value.estimate, from, common), common, reduced.terms,
                             reduced.mayBeEmpty);
  };
  Estimate estimate = estimateOf(work.tensors[operand]);
  if (estimate.wild && work.policy.steered && !work.tensors[operand].estimate.wild) {
    // Signs, or zeros and ones, reduce to sane numbers whatever their count.
    if (!acceptsDtype(op, DataType::Bool)) return false;
    operand = applyCast(work, operand, DataType::Bool);
    estimate = estimateOf(work.tensors[operand]);
  }
  TensorView* tensor = work.tensors[operand].tensor;
  const bool meets = drawMeeting(work, reduced, operand);
  const bool keepdim = meets || work.choices.chance(work.policy.keepdim);
  const size_t result =
      work.keep(build::reduction(*work.fusion, op, tensor, reduced.dims, keepdim, work.freshName()), estimate);
  if (meets) meetOperand(work, operand, result);
  return true;
}

bool applyScan(Workspace& work, OpKind op) {
  size_t operand = drawOperand(work);
  if (work.tensors[operand].tensor->rank() == 0) return false;
  if (!acceptsDtype(op, work.tensors[operand].tensor->dtype())) {
    const DataType dtype = work.drawDtypeFor(op);
    if (!castIsDefined(work.tensors[operand], dtype)) return false;
    operand = applyCast(work, operand, dtype);
  }
  const size_t axis = work.choices.index(work.tensors[operand].tensor->rank());
  int64_t terms = 1;
  for (const Dims& sizes : work.tensors[operand].sizes) terms = std::max(terms, sizes[axis]);
  const OpKind reduces = op == OpKind::Cumsum    ? OpKind::Sum
                         : op == OpKind::Cumprod ? OpKind::Prod
                         : op == OpKind::Cummax  ? OpKind::Amax
                                                 : OpKind::Amin;
  if (work.options.exactData) {
    if (!hasExactCount(reduces, terms)) return false;
    operand = madeNarrow(work, reduces, operand, terms);
  }
  const TensorValue value = work.tensors[operand];
  const DataType from = value.tensor->dtype();
  const bool widens = opInfo(op).promotion == Promotion::Integral64 && !isFloating(from);
  const DataType common = widens ? DataType::Int64 : from;
  const Estimate first = convertEstimate(value.estimate, from, common);
  const Estimate estimate = hull(first, reductionEstimate(reduces, first, common, terms, false));
  if (estimate.wild && work.policy.steered && !value.estimate.wild) return false;
  work.keep(build::structuralTensor(*work.fusion, op, {value.tensor}, Attributes().dim(static_cast<int64_t>(axis)),
                                    work.freshName()),
            estimate);
  return true;
}

// Over one axis, or all.
bool applyExtremeIndex(Workspace& work, OpKind op) {
  const size_t operand = drawOperand(work);
  const Reduced reduced = drawReducedAxes(work, work.tensors[operand]);
  if (reduced.dims.size() > 1 && reduced.dims.size() < work.tensors[operand].tensor->rank()) return false;
  if (reduced.mayBeEmpty || !work.affordable(reduced.kept)) return false;
  TensorView* tensor = work.tensors[operand].tensor;
  const bool keepdim = work.choices.chance(work.policy.keepdim);
  const auto most = static_cast<double>(std::max<int64_t>(reduced.terms, 1));
  work.keep(build::reduction(*work.fusion, op, tensor, reduced.dims, keepdim, work.freshName()),
            {0, most - 1, true, false});
  return true;
}

bool applyWelford(Workspace& work, OpKind op) {
  Choices& choices = work.choices;
  size_t operand = drawOperand(work);
  if (!acceptsDtype(op, work.tensors[operand].tensor->dtype())) {
    operand = applyCast(work, operand, work.drawDtypeFor(op));
  }
  const TensorValue value = work.tensors[operand];
  const Reduced reduced = drawReducedAxes(work, value);
  if (!work.affordable(reduced.kept)) return false;
  // Mostly PyTorch's own default; one that leaves no divisor gives infinities and NaN.
  constexpr int64_t kCorrections[] = {1, 1, 1, 0, -1, 2};
  int64_t correction = choices.pick(kCorrections);
  if (work.policy.steered && reduced.fewestTerms <= correction) correction = 0;
  const bool wild = value.estimate.wild || reduced.fewestTerms <= correction;
  const double reach = value.estimate.high - value.estimate.low;
  const double largest = reach * reach * static_cast<double>(std::max<int64_t>(correction, 0) + 1);
  Estimate variance{0, largest, value.estimate.certain, wild || !(largest <= saneMagnitude(value.tensor->dtype()))};
  Estimate mean = value.estimate;
  mean.wild = mean.wild || reduced.mayBeEmpty;
  const bool meets = drawMeeting(work, reduced, operand);
  const std::vector<TensorView*> results =
      build::welford(*work.fusion, op, value.tensor, reduced.dims, correction,
                     meets || choices.chance(work.policy.keepdim), {work.freshName(), work.freshName()});
  size_t last = work.keep(results[0], variance);
  if (results.size() > 1) last = work.keep(results[1], mean);
  if (meets) meetOperand(work, operand, last);
  return true;
}

bool applyFamily(Workspace& work, OpKind op) {
  switch (opInfo(op).family) {
    case Family::Unary:
    case Family::Binary:
    case Family::Ternary: return applyPointwise(work, op);
    case Family::Cast: return applyCastOp(work);
    case Family::Bitcast: return applyBitcast(work);
    case Family::LoadStore: return applyLoadStore(work, op);
    case Family::Broadcast: return applyUnsqueeze(work);
    case Family::Squeeze: return applySqueeze(work);
    case Family::Expand: return applyExpand(work);
    case Family::Permute: return applyPermute(work);
    case Family::Factory: return applyFull(work);
    case Family::Range: return applyRange(work);
    case Family::Eye: return applyEye(work);
    case Family::Size: return applySize(work);
    case Family::Slice: return applySlice(work);
    case Family::Pad: return applyPad(work);
    case Family::Cat: return applyCat(work);
    case Family::Reshape: return applyReshape(work);
    case Family::Repeat: return applyRepeat(work);
    case Family::Flip: return applyFlip(work);
    case Family::Branch: return applyBranch(work);
    case Family::Update: return applyUpdate(work);
    case Family::Unfold: return applyUnfold(work);
    case Family::Select: return applySelect(work);
    case Family::SliceScatter: return applySliceScatter(work);
    case Family::Gather: return applyGather(work);
    case Family::Scatter: return applyScatter(work, op);
    case Family::Item: return applyItem(work);
    case Family::Reduction: return applyReduction(work, op);
    case Family::Scan: return applyScan(work, op);
    case Family::ExtremeIndex: return applyExtremeIndex(work, op);
    case Family::Welford: return applyWelford(work, op);
  }
  FUSER_CHECK(false, "bad Family");
}

}  // namespace

size_t applyCast(Workspace& work, size_t operand, DataType dtype) {
  const TensorValue value = work.tensors[operand];
  return work.keep(build::cast(*work.fusion, value.tensor, dtype, work.freshName()),
                   convertEstimate(value.estimate, value.tensor->dtype(), dtype));
}

std::optional<size_t> applyStore(Workspace& work, size_t operand) {
  const TensorValue value = work.tensors[operand];
  const DataType from = value.tensor->dtype();
  if (from == DataType::Bool || !work.choices.chance(work.policy.stored)) return std::nullopt;
  std::vector<DataType> stored;
  for (DataType dtype : kAllDataTypes) {
    const bool fits =
        isFloating(dtype) || (castIsDefined(value, dtype) && !convertEstimate(value.estimate, from, dtype).wild);
    if (isStored(dtype) && category(dtype) == category(from) && fits) stored.push_back(dtype);
  }
  if (stored.empty()) return std::nullopt;
  return applyCast(work, operand, work.choices.pick(stored));
}

void applyStoredOp(Workspace& work) {
  std::vector<std::pair<OpKind, DataType>> rows;
  for (OpKind op : kAllOps) {
    for (DataType dtype : kAllDataTypes) {
      const bool isRow = isStored(dtype) && acceptsDtype(op, dtype) && work.policy.opAllowed(op);
      if (isRow) rows.emplace_back(op, dtype);
    }
  }
  if (rows.empty() || work.elementsLeft() <= 0) return;
  const auto [op, dtype] = work.choices.pick(rows);
  work.storedOnly = dtype;
  applyOp(work, op);
  work.storedOnly.reset();
  // What nothing reads becomes an output, or is computed with.
  for (size_t i = 0; i < work.tensors.size(); ++i) {
    const TensorView* tensor = work.tensors[i].tensor;
    const bool isLoose = isStored(tensor->dtype()) && tensor->uses().empty();
    if (isLoose && work.policy.opAllowed(OpKind::Cast) && work.choices.chance(0.5)) {
      applyCast(work, i, isFloating(tensor->dtype()) ? DataType::Float : DataType::Int64);
    }
  }
}

bool applyOp(Workspace& work, OpKind op) {
  const size_t before = work.tensors.size();
  if (!applyFamily(work, op)) return false;
  if (work.tensors.size() > before && op != OpKind::SegmentSet && work.policy.opAllowed(OpKind::SegmentSet) &&
      work.choices.chance(work.policy.segmentSet)) {
    const TensorValue value = work.tensors.back();
    work.keep(build::segmentSet(*work.fusion, value.tensor, work.freshName()), value.estimate);
  }
  return true;
}

}  // namespace fuser::fuzz
