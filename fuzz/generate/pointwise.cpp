// Pointwise ops: operands whose axes meet, promoted to a dtype that the row takes, bounded to where it is defined.

#include <algorithm>
#include <cmath>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuzz/generate/exact_draws.h"
#include "fuzz/generate/workspace.h"

namespace fuser::fuzz {
namespace {

struct Operand {
  Val* val;
  Estimate estimate;  // in the operand's own dtype
  int64_t tensor;     // index, or -1 of a scalar
};

Operand tensorOperand(const Workspace& work, size_t index) {
  return {work.tensors[index].tensor, work.tensors[index].estimate, static_cast<int64_t>(index)};
}

Operand scalarOperand(const ScalarEntry& entry) {
  return {entry.scalar, hull(pointEstimate(entry.values[0]), pointEstimate(entry.values[1])), -1};
}

// The sizes of a pointwise op on both, aligned at the last axis; none where two axes differ in some run, and, where
// `onesMeet`, neither is 1.
std::optional<std::array<Dims, kRuns>> joinSizes(const TensorValue& a, const std::array<Dims, kRuns>& joined,
                                                 const std::vector<bool>& open, bool onesMeet) {
  const std::vector<IterDomain*> axes = a.tensor->axes();
  const size_t rank = std::max(axes.size(), open.size());
  std::array<Dims, kRuns> sizes;
  for (size_t i = 0; i < rank; ++i) {
    const bool inA = i + axes.size() >= rank, inB = i + open.size() >= rank;
    const size_t inAxis = i + axes.size() - rank, inOpen = i + open.size() - rank;
    const bool openA = !inA || (axes[inAxis]->isBroadcast() && !axes[inAxis]->isExpanded());
    const bool openB = !inB || open[inOpen];
    for (size_t run = 0; run < kRuns; ++run) {
      const int64_t sizeA = inA ? a.sizes[run][inAxis] : 1, sizeB = inB ? joined[run][inOpen] : 1;
      const bool isFree = openA || openB || sizeA == sizeB || (onesMeet && (sizeA == 1 || sizeB == 1));
      if (!isFree) return std::nullopt;
      sizes[run].push_back(openA || (onesMeet && !openB && sizeA == 1) ? sizeB : sizeA);
    }
  }
  return sizes;
}

// What the operands chosen so far make together.
struct Joined {
  std::array<Dims, kRuns> sizes;
  bool onesMeet = false;        // Policy::onesMeet may draw such
  std::vector<bool> open = {};  // a plain broadcast axis: meets any size

  std::optional<std::array<Dims, kRuns>> with(const TensorValue& value) const {
    return joinSizes(value, sizes, open, onesMeet);
  }
  void add(const TensorValue& value) {
    const std::array<Dims, kRuns> result = with(value).value();
    std::vector<bool> stillOpen(result[0].size(), true);
    const std::vector<IterDomain*> axes = value.tensor->axes();
    for (size_t i = 0; i < axes.size(); ++i) {
      if (!axes[i]->isBroadcast() || axes[i]->isExpanded()) stillOpen[i + stillOpen.size() - axes.size()] = false;
    }
    for (size_t i = 0; i < open.size(); ++i) {
      if (!open[i]) stillOpen[i + stillOpen.size() - open.size()] = false;
    }
    sizes = result;
    open = stillOpen;
  }
};

size_t castTo(Workspace& work, size_t index, DataType dtype) {
  return work.tensors[index].tensor->dtype() == dtype ? index : applyCast(work, index, dtype);
}

size_t drawFirst(Workspace& work, OpKind op) {
  const auto any = [](const TensorValue&) { return true; };
  const int64_t found = work.choices.chance(work.policy.newInput) ? -1 : drawTensor(work, any);
  const size_t index = found >= 0 ? static_cast<size_t>(found) : drawSource(work);
  Val* alone[] = {work.tensors[index].tensor};
  if (acceptsDtype(op, promotedType(op, alone[0]->dtype(), false))) return index;
  DataType wanted = work.drawDtypeFor(op);
  if (!castIsDefined(work.tensors[index], wanted)) wanted = DataType::Float;
  return castTo(work, index, acceptsDtype(op, wanted) ? wanted : DataType::Int64);
}

// A tensor that meets the others; bool where it is a condition.
size_t drawPartner(Workspace& work, const Joined& joined, DataType dtype, bool condition, size_t first) {
  Choices& choices = work.choices;
  const bool same = condition || choices.chance(work.policy.sameDtype);
  const auto suits = [&](const TensorValue& value) {
    if (same && value.tensor->dtype() != dtype) return false;
    const auto sizes = joined.with(value);
    return sizes && work.affordable(*sizes);
  };
  if (!choices.chance(work.policy.newInput)) {
    const int64_t found = drawTensor(work, suits);
    if (found >= 0) return static_cast<size_t>(found);
  }
  const std::vector<AxisPlan> shape = drawShapeLike(work, work.tensors[first]);
  const size_t source = newSource(work, same ? dtype : work.drawDtype(), shape);
  if (condition) return castTo(work, source, DataType::Bool);
  return source;
}

// An operand that stands in braces: a positive number mostly, as slopes, bounds and scales are.
ScalarEntry drawNamed(Workspace& work, OpKind op, DataType dtype) {
  if (work.choices.chance(0.3)) return drawScalar(work, dtype);
  constexpr double kValues[] = {1, 0.5, 2, 0.25, 0.01, 3, 0, -1};
  const double value = work.literalNear(work.choices.pick(kValues));
  // Beside a tensor of integers a literal may be a float where it takes no part in promotion.
  const bool toFloat = opInfo(op).promotion == Promotion::Operand && work.choices.chance(0.5);
  const bool floating = isFloating(dtype) || toFloat;
  const ScalarValue literal = floating ? ScalarValue(value) : ScalarValue(static_cast<int64_t>(value * 4));
  return {work.fusion->newConstant(literal), {literal, literal}};
}

std::vector<Operand> drawOperands(Workspace& work, OpKind op) {
  const size_t count = operandCount(op);
  const size_t main = takesCondition(op, 0) ? 1 : 0;
  const size_t named = namedOperands(op).size();
  const size_t first = drawFirst(work, op);
  const DataType dtype = work.tensors[first].tensor->dtype();
  Joined joined{{}, work.policy.onesMeet > 0};
  joined.add(work.tensors[first]);
  std::vector<Operand> operands(count, Operand{nullptr, {}, -1});
  operands[main] = tensorOperand(work, first);
  for (size_t i = 0; i < count; ++i) {
    if (i == main) continue;
    const bool condition = takesCondition(op, i);
    if (i + named >= count) {
      operands[i] = scalarOperand(drawNamed(work, op, dtype));
      continue;
    }
    if (!condition && work.choices.chance(work.policy.scalarOperand)) {
      operands[i] = scalarOperand(drawScalar(work, dtype));
      continue;
    }
    const size_t partner = drawPartner(work, joined, condition ? DataType::Bool : dtype, condition, first);
    joined.add(work.tensors[partner]);
    operands[i] = tensorOperand(work, partner);
  }
  // Bounds in order, where their values are.
  if (opInfo(op).domain == Domain::Bounds && operands[1].estimate.low > operands[2].estimate.high) {
    std::swap(operands[1], operands[2]);
  }
  if (count == 2 && named == 0 && work.choices.chance(0.3)) std::swap(operands[0], operands[1]);
  return operands;
}

DataType commonOf(OpKind op, const std::vector<Operand>& operands) {
  std::vector<Val*> vals;
  for (const Operand& operand : operands) vals.push_back(operand.val);
  return commonType(op, vals);
}

std::vector<Estimate> convertedEstimates(OpKind op, const std::vector<Operand>& operands, DataType common) {
  std::vector<Estimate> estimates;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool condition = takesCondition(op, i);
    estimates.push_back(condition ? operands[i].estimate
                                  : convertEstimate(operands[i].estimate, operands[i].val->dtype(), common));
  }
  return estimates;
}

// --- bounding ---

struct Step {
  OpKind op;
  ScalarValue literal;  // unused by unary ops
};
// Steps that bring an operand into a range.
struct Remedy {
  std::vector<Step> steps;
  std::optional<Estimate> result;  // when the steps' estimate would be too wide
};

std::vector<Remedy> remedies(const Estimate& estimate, DataType dtype) {
  const auto clamp = [&](double low, double high) {
    const bool floating = isFloating(dtype);
    const ScalarValue lower = floating ? ScalarValue(low) : ScalarValue(static_cast<int64_t>(low));
    const ScalarValue upper = floating ? ScalarValue(high) : ScalarValue(static_cast<int64_t>(high));
    return Remedy{{{OpKind::Maximum, lower}, {OpKind::Minimum, upper}}, Estimate{low, high, true, false}};
  };
  if (!isFloating(dtype)) {
    return {clamp(1, 9),
            clamp(-100, 100),
            {{{OpKind::Maximum, ScalarValue(int64_t{1})}}, std::nullopt},
            {{{OpKind::Remainder, ScalarValue(int64_t{17})}}, Estimate{0, 16, true, false}},
            clamp(1, 2)};
  }
  std::vector<Remedy> list = {clamp(0.125, 4), clamp(-2, 2), clamp(1, 2)};
  if (estimate.magnitude() > 0) {
    // A power of two that brings the range into [-1, 1].
    const double scale = std::exp2(-std::ceil(std::log2(estimate.magnitude())));
    list.push_back({{{OpKind::Mul, ScalarValue(scale)}}, std::nullopt});
  }
  list.push_back({{{OpKind::Abs, {}}, {OpKind::Add, ScalarValue(0.5)}}, std::nullopt});
  list.push_back({{{OpKind::Sigmoid, {}}}, Estimate{0.0025, 1, true, false}});
  return list;
}

bool remedyAllowed(const Workspace& work, const Remedy& remedy, DataType dtype) {
  return std::all_of(remedy.steps.begin(), remedy.steps.end(),
                     [&](const Step& step) { return work.policy.opAllowed(step.op) && acceptsDtype(step.op, dtype); });
}

Estimate afterRemedy(const Remedy& remedy, Estimate estimate, DataType dtype) {
  if (estimate.wild) return estimate;
  if (remedy.result) return *remedy.result;
  for (const Step& step : remedy.steps) {
    const Estimate operands[] = {estimate, pointEstimate(step.literal)};
    estimate = pointwiseEstimate(step.op, {operands, operandCount(step.op)}, dtype);
  }
  return estimate;
}

Operand applyRemedy(Workspace& work, const Remedy& remedy, const Operand& operand) {
  Val* val = operand.val;
  Estimate estimate = operand.estimate;
  int64_t tensor = operand.tensor;
  for (size_t i = 0; i < remedy.steps.size(); ++i) {
    const Step& step = remedy.steps[i];
    const bool last = i + 1 == remedy.steps.size();
    const Estimate operands[] = {estimate, pointEstimate(step.literal)};
    estimate = pointwiseEstimate(step.op, {operands, operandCount(step.op)}, val->dtype());
    if (last && remedy.result) estimate = *remedy.result;
    if (operandCount(step.op) == 1) {
      val = build::unary(*work.fusion, step.op, val, work.freshName());
    } else {
      val = build::binary(*work.fusion, step.op, val, work.fusion->newConstant(step.literal), work.freshName());
    }
    tensor = static_cast<int64_t>(work.keep(val, estimate));
  }
  return {val, estimate, tensor};
}

// For a share of the operands that are inputs: other elements, for which the estimates of the operands are good.
bool redrawOperand(Workspace& work, OpKind op, std::vector<Operand>& operands, int64_t tensor, DataType common,
                   const std::function<bool(const std::vector<Estimate>&)>& good) {
  constexpr double kShare = 0.3;
  if (tensor < 0 || !work.choices.chance(kShare)) return false;
  std::vector<Operand> redrawn = operands;
  const auto fits = [&](const Estimate& range) {
    for (Operand& operand : redrawn) {
      if (operand.tensor == tensor) operand.estimate = range;
    }
    return good(convertedEstimates(op, redrawn, common));
  };
  const auto index = static_cast<size_t>(tensor);
  if (!redrawInput(work, index, fits)) return false;
  for (Operand& operand : operands) {
    if (operand.tensor == tensor) operand.estimate = work.tensors[index].estimate;
  }
  return true;
}

// Tries the operands as they are, then now and then an input with other elements, then one of them bounded, then a
// literal for the last. False: the op stays undefined.
bool steer(Workspace& work, OpKind op, std::vector<Operand>& operands, DataType common) {
  const auto good = [&](const std::vector<Estimate>& estimates) {
    const DataType result = opInfo(op).result == Result::Bool ? DataType::Bool : common;
    const Estimate estimate = pointwiseEstimate(op, estimates, common);
    const bool isExact = !work.options.exactData || isLikelyExact(op, estimates, estimate, common);
    return isExact && isDefined(op, estimates, common) && isSane(estimate, result);
  };
  const auto converted = [&] { return convertedEstimates(op, operands, common); };
  if (good(converted())) return true;
  // Integers may wrap, but not leave the row's domain.
  const bool mustBound = work.options.exactData || !isDefined(op, converted(), common);
  const bool wildAlready =
      std::any_of(operands.begin(), operands.end(), [](const Operand& o) { return o.estimate.wild; });
  if (!mustBound && (!work.policy.steered || wildAlready || work.choices.chance(0.03))) return true;
  for (const Operand& operand : operands) {
    if (redrawOperand(work, op, operands, operand.tensor, common, good)) return true;
  }
  for (size_t i = operands.size(); i-- > 0;) {
    if (operands[i].tensor < 0) continue;
    const DataType dtype = operands[i].val->dtype();
    std::vector<Remedy> list = remedies(operands[i].estimate, dtype);
    work.choices.shuffle(list);
    for (const Remedy& remedy : list) {
      if (!remedyAllowed(work, remedy, dtype)) continue;
      std::vector<Estimate> estimates = converted();
      estimates[i] = convertEstimate(afterRemedy(remedy, operands[i].estimate, dtype), dtype, common);
      if (!good(estimates)) continue;
      operands[i] = applyRemedy(work, remedy, operands[i]);
      return true;
    }
  }
  // The last operand becomes a literal.
  if (operands.size() > 1 && operands.back().tensor >= 0) {
    const ScalarValue one = isFloating(common) ? ScalarValue(work.literalNear(1.5)) : ScalarValue(int64_t{3});
    const ScalarValue value = common == DataType::Bool ? ScalarValue(true) : one;
    operands.back() = scalarOperand({work.fusion->newConstant(value), {value, value}});
    if (operands[0].tensor >= 0 && commonOf(op, operands) == common && good(converted())) return true;
  }
  return !work.options.exactData && (!mustBound || isDefined(op, converted(), common));
}

bool applyTo(Workspace& work, OpKind op, std::vector<Operand> operands) {
  DataType common = commonOf(op, operands);
  if (!acceptsDtype(op, common)) return false;
  // PyTorch refuses numbers that an unsigned dtype has not.
  const bool isRefused = isUnsigned(common) && std::any_of(operands.begin(), operands.end(), [](const Operand& each) {
                           return each.tensor < 0 && each.estimate.low < 0;
                         });
  if (isRefused) return false;
  if (!steer(work, op, operands, common)) return false;
  common = commonOf(op, operands);
  if (std::none_of(operands.begin(), operands.end(), [](const Operand& operand) { return operand.tensor >= 0; }))
    return false;
  std::vector<Val*> vals;
  for (const Operand& operand : operands) vals.push_back(operand.val);
  const Estimate estimate = pointwiseEstimate(op, convertedEstimates(op, operands, common), common);
  work.keep(build::pointwise(*work.fusion, op, vals, work.freshName()), estimate);
  return true;
}

// Now and then a dividend that is a multiple of its divisor: there quotients that are a little off round to another
// whole number, and remainders to a whole divisor.
void makeMultiple(Workspace& work, OpKind op, std::vector<Operand>& operands) {
  constexpr OpKind kDivisions[] = {OpKind::TruncDiv, OpKind::FloorDiv, OpKind::Fmod, OpKind::Remainder};
  if (std::find(std::begin(kDivisions), std::end(kDivisions), op) == std::end(kDivisions)) return;
  if (operands[1].tensor < 0 || !work.policy.opAllowed(OpKind::Mul) || !work.choices.chance(0.15)) return;
  constexpr int64_t kFactors[] = {1, -1, 2, 3, 7, -10};
  const ScalarValue factor = work.choices.pick(kFactors);
  const DataType dtype = operands[1].val->dtype();
  if (dtype == DataType::Bool || isUnsigned(dtype)) return;
  const Estimate estimates[] = {operands[1].estimate, pointEstimate(factor)};
  const Estimate estimate = pointwiseEstimate(OpKind::Mul, estimates, dtype);
  Val* product =
      build::binary(*work.fusion, OpKind::Mul, operands[1].val, work.fusion->newConstant(factor), work.freshName());
  operands[0] = {product, estimate, static_cast<int64_t>(work.keep(product, estimate))};
}

}  // namespace

bool applyPointwise(Workspace& work, OpKind op) {
  std::vector<Operand> operands = drawOperands(work, op);
  makeMultiple(work, op, operands);
  return applyTo(work, op, std::move(operands));
}

bool applyBinary(Workspace& work, OpKind op, size_t a, size_t b) {
  return applyTo(work, op, {tensorOperand(work, a), tensorOperand(work, b)});
}

}  // namespace fuser::fuzz
