#include "fuser/ir/infer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fuser/ir/updates.h"
#include "fuser/ir/view_axes.h"
#include "fuser/ops/op_eval.h"
#include "fuser/support/set_up_error.h"
#include "fuser/types/tensor_ref.h"

namespace fuser {
namespace {

std::string operandTypes(std::span<Val* const> operands) {
  std::string text;
  for (const Val* operand : operands) text += (text.empty() ? "" : ", ") + typeText(operand);
  return text;
}

AxisType axisTypeOf(const IterDomain* axis) { return {axis->type(), axis->extent(), axis->expandedExtent()}; }

std::vector<AxisType> axisTypesOf(const Val* val) {
  std::vector<AxisType> axes;
  for (const IterDomain* axis : val->as<TensorView>()->axes()) axes.push_back(axisTypeOf(axis));
  return axes;
}

// As PyTorch's c10::ResultTypeState: an operand of a lower class (rank 0, scalar) counts only if its category is wider.
std::optional<DataType> combineClasses(std::optional<DataType> higher, std::optional<DataType> lower) {
  if (!higher) return lower;
  if (!lower || isFloating(*higher)) return higher;
  if (*higher == DataType::Bool || isFloating(*lower)) return promoteTypes(*higher, *lower);
  return higher;
}

std::vector<Val*> promotedOperands(OpKind op, std::span<Val* const> operands) {
  std::vector<Val*> promoted;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (isPromoted(op, i)) promoted.push_back(operands[i]);
  }
  return promoted;
}

// "f64 f32 f16 bf16": the common dtypes that the op accepts.
std::string dtypesOf(OpKind op) {
  std::string text;
  for (DataType dtype : kAllDataTypes) {
    if (acceptsDtype(op, dtype)) text += concat(text.empty() ? "" : " ", dtype);
  }
  return text;
}

// The literals of scalars that do not take part in promotion, as PyTorch checks them.
void checkNamedScalars(OpKind op, std::span<Val* const> operands, DataType common) {
  const OpInfo& info = opInfo(op);
  const std::vector<NamedOperand>& named = namedOperands(op);
  const auto literalAt = [&](size_t i) {
    return operands[operands.size() - named.size() + i]->as<Scalar>()->constant();
  };
  for (size_t i = 0; info.promotion == Promotion::Operand && !isFloating(common) && i < named.size(); ++i) {
    const Val* scalar = operands[operands.size() - named.size() + i];
    if (!isFloating(scalar->dtype())) continue;
    const std::optional<ScalarValue> literal = literalAt(i);
    FUSER_USER_CHECK(literal, info.mnemonic, " of (", operandTypes(operands), "): '", named[i].name,
                     "' is a floating scalar beside a tensor of integers: cast it to i64");
    const double value = std::trunc(literal->as<double>());
    const auto [least, most] = integerRange(common);
    FUSER_USER_CHECK(value >= static_cast<double>(least) && value < static_cast<double>(most) + 1, info.mnemonic, ": '",
                     named[i].name, "' = ", *literal, " does not fit ", common);
  }
  if (info.domain != Domain::Bounds || !literalAt(0) || !literalAt(1)) return;
  FUSER_USER_CHECK(!(literalAt(0)->as<double>() > literalAt(1)->as<double>()), info.mnemonic, ": '", named[0].name,
                   "' = ", *literalAt(0), " is above '", named[1].name, "' = ", *literalAt(1));
}

InferredType inferScalarOp(OpKind op, std::span<Val* const> operands) {
  std::array<DataType, 3> dtypes{};
  std::transform(operands.begin(), operands.end(), dtypes.begin(), [](const Val* val) { return val->dtype(); });
  const OpInfo& info = opInfo(op);
  const DataType common = scalarCommonType(op, {dtypes.data(), operands.size()});
  FUSER_USER_CHECK(acceptsDtype(op, common), info.mnemonic, " does not take (", operandTypes(operands),
                   "); its dtypes are ", dtypesOf(op));
  checkNamedScalars(op, operands, common);
  return {false, info.result == Result::Bool ? DataType::Bool : common, {}};
}

IntExpr sizeOf(const AxisType& axis) { return axis.expandedExtent ? axis.expandedExtent : axis.extent; }

InferredType inferPointwise(Fusion& fusion, OpKind op, std::span<Val* const> operands) {
  const OpInfo& info = opInfo(op);
  if (takesCondition(op, 0)) {
    FUSER_USER_CHECK(operands[0]->dtype() == DataType::Bool, info.mnemonic, " takes a bool condition, not ",
                     typeText(operands[0]));
  }
  const std::vector<NamedOperand>& named = namedOperands(op);
  for (size_t i = 0; i < named.size(); ++i) {
    const Val* operand = operands[operands.size() - named.size() + i];
    FUSER_USER_CHECK(operand->isScalar(), info.mnemonic, " takes a scalar '", named[i].name, "', not ",
                     typeText(operand));
  }
  if (std::none_of(operands.begin(), operands.end(), [](const Val* val) { return val->isTensor(); })) {
    return inferScalarOp(op, operands);
  }
  const DataType common = commonType(op, operands);
  FUSER_USER_CHECK(acceptsDtype(op, common), info.mnemonic, " does not take (", operandTypes(operands),
                   "); its dtypes are ", dtypesOf(op));
  checkNamedScalars(op, operands, common);
  for (const Val* operand : promotedOperands(op, operands)) {
    FUSER_USER_CHECK(operand->isScalar() || operand->dtype() == common, info.mnemonic, " of (", operandTypes(operands),
                     ") computes in ", common, ": insert a cast");
  }
  InferredType result{true, info.result == Result::Bool ? DataType::Bool : common, {}};
  bool first = true;
  for (const Val* operand : operands) {
    if (operand->isScalar()) continue;
    const std::vector<AxisType> axes = axisTypesOf(operand);
    if (first) result.axes = axes;
    first = false;
    FUSER_USER_CHECK(axes.size() == result.axes.size(), info.mnemonic, " of (", operandTypes(operands),
                     "): ranks differ");
    for (size_t i = 0; i < axes.size(); ++i) {
      AxisType& joined = result.axes[i];
      const IntExpr before = sizeOf(joined), size = sizeOf(axes[i]);
      const IntExpr met = fusion.isConcrete() ? nullptr : fusion.ints().meet(before, size);
      const bool areIterations = axes[i].type == IterType::Iteration && joined.type == IterType::Iteration;
      const bool isOne = !areIterations && (before->isConstant(1) || size->isConstant(1));
      FUSER_USER_CHECK(!before->isConstant() || !size->isConstant() || before == size || isOne, info.mnemonic, " of (",
                       operandTypes(operands), "): axis ", i, " differs; operands are aligned at their last axes");
      if (axes[i].type == IterType::Iteration && !areIterations) {
        joined = axes[i];
      } else if (joined.type == IterType::Broadcast && !joined.expandedExtent) {
        joined.expandedExtent = axes[i].expandedExtent;
      }
      if (met) (joined.expandedExtent ? joined.expandedExtent : joined.extent) = met;
    }
  }
  return result;
}

// Checks that dims are in [0, rank) and distinct.
void checkDims(OpKind op, const std::vector<int64_t>& dims, size_t rank, const Val* operand) {
  std::array<bool, kMaxRank> seen{};
  for (int64_t dim : dims) {
    FUSER_USER_CHECK(dim >= 0 && dim < static_cast<int64_t>(rank), opInfo(op).mnemonic, " of ", typeText(operand),
                     ": axis ", dim, " is out of range for rank ", rank);
    FUSER_USER_CHECK(!seen[dim], opInfo(op).mnemonic, " of ", typeText(operand), ": axis ", dim, " is given twice");
    seen[dim] = true;
  }
}

bool contains(const std::vector<int64_t>& dims, size_t axis) {
  return std::find(dims.begin(), dims.end(), static_cast<int64_t>(axis)) != dims.end();
}

// Of reductions and scans: the operand has the dtype that they compute in.
void checkPromoted(OpKind op, const Val* operand) {
  FUSER_USER_CHECK(acceptsDtype(op, operand->dtype()), opInfo(op).mnemonic, " does not take ", typeText(operand),
                   "; its dtypes are ", dtypesOf(op));
  const bool narrow = !isFloating(operand->dtype()) && operand->dtype() != DataType::Int64;
  FUSER_USER_CHECK(opInfo(op).promotion != Promotion::Integral64 || !narrow, opInfo(op).mnemonic, " of ",
                   typeText(operand), " computes in i64: insert a cast");
  FUSER_USER_CHECK(opInfo(op).promotion != Promotion::Truth || operand->dtype() == DataType::Bool, opInfo(op).mnemonic,
                   " of ", typeText(operand), " computes in bool: insert a cast");
}

InferredType inferReduction(OpKind op, const Val* operand, const Attributes& attributes) {
  InferredType result{true, operand->dtype(), axisTypesOf(operand)};
  checkDims(op, attributes.dims(), result.axes.size(), operand);
  checkPromoted(op, operand);
  for (const FamilyAttribute& attribute : familyAttributes(opInfo(op).family)) {
    FUSER_USER_CHECK(takesAttribute(op, attribute) || !attributes.has(attribute.name), opInfo(op).mnemonic, " of ",
                     typeText(operand), ": it takes no ", attribute.text());
  }
  for (int64_t dim : attributes.dims()) {
    AxisType& axis = result.axes[dim];
    axis = {IterType::Reduction, axis.expandedExtent ? axis.expandedExtent : axis.extent, nullptr};
  }
  return result;
}

// What was expanded along the axis differs from place to place.
InferredType inferScan(OpKind op, const Val* operand, const Attributes& attributes) {
  InferredType result{true, operand->dtype(), axisTypesOf(operand)};
  checkDims(op, {attributes.dim()}, result.axes.size(), operand);
  checkPromoted(op, operand);
  AxisType& axis = result.axes[static_cast<size_t>(attributes.dim())];
  if (axis.expandedExtent) axis = {IterType::Iteration, axis.expandedExtent, nullptr};
  return result;
}

// The index is that of PyTorch: along one axis, or row-major along all of them.
InferredType inferExtremeIndex(OpKind op, const Val* operand, const Attributes& attributes) {
  InferredType result = inferReduction(op, operand, attributes);
  const size_t axes = attributes.dims().size();
  FUSER_USER_CHECK(axes <= 1 || axes == result.axes.size(), opInfo(op).mnemonic, " of ", typeText(operand), " over ",
                   axes, " axes: it takes one axis, or all");
  result.dtype = DataType::Int64;
  return result;
}

InferredType inferWelford(OpKind op, const Val* operand, const Attributes& attributes) {
  const int64_t correction = attributes.correction();
  FUSER_USER_CHECK(correction >= -kMaxElements && correction <= kMaxElements, opInfo(op).mnemonic, " of ",
                   typeText(operand), ": the correction ", correction, " is outside [-", kMaxElements, ", ",
                   kMaxElements, "]");
  return inferReduction(op, operand, attributes);
}

InferredType inferBroadcast(Fusion& fusion, OpKind op, const Val* operand, const Attributes& attributes) {
  const std::vector<AxisType> old = axisTypesOf(operand);
  const size_t rank = old.size() + attributes.dims().size();
  FUSER_USER_CHECK(rank <= kMaxRank, opInfo(op).mnemonic, " of ", typeText(operand), ": more than 8 axes");
  checkDims(op, attributes.dims(), rank, operand);
  InferredType result{true, operand->dtype(), {}};
  size_t next = 0;
  for (size_t axis = 0; axis < rank; ++axis) {
    result.axes.push_back(contains(attributes.dims(), axis)
                              ? AxisType{IterType::Broadcast, fusion.ints().constant(1), nullptr}
                              : old[next++]);
  }
  return result;
}

InferredType inferSqueeze(OpKind op, const Val* operand, const Attributes& attributes) {
  const std::vector<AxisType> old = axisTypesOf(operand);
  checkDims(op, attributes.dims(), old.size(), operand);
  InferredType result{true, operand->dtype(), {}};
  for (size_t axis = 0; axis < old.size(); ++axis) {
    if (!contains(attributes.dims(), axis)) {
      result.axes.push_back(old[axis]);
      continue;
    }
    // A run decides whether an axis with a symbol has one element.
    const bool isOne =
        old[axis].type == IterType::Broadcast ? !old[axis].expandedExtent : !old[axis].extent->isConstant();
    FUSER_USER_CHECK(isOne, "squeeze of ", typeText(operand), ": axis ", axis, " is not of extent 1");
  }
  return result;
}

InferredType inferPermute(OpKind op, const Val* operand, const Attributes& attributes) {
  const std::vector<AxisType> old = axisTypesOf(operand);
  checkDims(op, attributes.dims(), old.size(), operand);
  FUSER_USER_CHECK(attributes.dims().size() == old.size(), "permute of ", typeText(operand), " takes ", old.size(),
                   " axes, not ", attributes.dims().size());
  InferredType result{true, operand->dtype(), {}};
  for (int64_t dim : attributes.dims()) result.axes.push_back(old[dim]);
  return result;
}

std::vector<AxisType> axesOfUpdate(std::span<Val* const> operands) {
  const std::vector<AxisType> wanted = axisTypesOf(operands[0]), given = axisTypesOf(operands[1]);
  FUSER_USER_CHECK(wanted.size() == given.size(), "update of ", typeText(operands[0]), " with ", typeText(operands[1]),
                   ": ranks differ");
  for (size_t i = 0; i < wanted.size(); ++i) {
    const IntExpr to = sizeOf(wanted[i]), from = sizeOf(given[i]);
    FUSER_USER_CHECK(to == from || !to->isConstant() || !from->isConstant(), "update of ", typeText(operands[0]),
                     " with ", typeText(operands[1]), ": axis ", i, " differs");
  }
  return wanted;
}

// What is written has the sizes of the tensor that it is written to, or is expanded to them.
InferredType inferUpdate(std::span<Val* const> operands) {
  const auto* target = operands[0]->as<TensorView>();
  const std::string problem = whyNoUpdate(target);
  FUSER_USER_CHECK(problem.empty(), "update of %", target->name(), ": ", problem);
  FUSER_USER_CHECK(operands[1]->dtype() == target->dtype(), "update of ", typeText(target), " with ",
                   typeText(operands[1]), ": insert a cast");
  const std::vector<AxisType> axes = axesOfUpdate(operands);
  return {true, target->dtype(), axes};
}

InferredType inferFlip(OpKind op, const Val* operand, const Attributes& attributes) {
  checkDims(op, attributes.dims(), operand->as<TensorView>()->rank(), operand);
  return {true, operand->dtype(), axisTypesOf(operand)};
}

InferredType inferExpand(const Fusion& fusion, const Val* operand, const Attributes& attributes) {
  InferredType result{true, operand->dtype(), axisTypesOf(operand)};
  FUSER_USER_CHECK(attributes.shape().size() == result.axes.size(), "expand of ", typeText(operand), " takes ",
                   result.axes.size(), " sizes, not ", attributes.shape().size());
  for (size_t i = 0; i < result.axes.size(); ++i) {
    AxisType& axis = result.axes[i];
    const IntExpr size = attributes.shape()[i];
    if (size->isConstant(-1)) continue;
    const IntExpr old = axis.expandedExtent ? axis.expandedExtent : axis.extent;
    if (axis.type == IterType::Iteration || axis.expandedExtent) {
      FUSER_USER_CHECK(!size->isConstant() || !old->isConstant() || size == old, "expand of ", typeText(operand),
                       ": axis ", i, " is not of extent 1");
      // An axis that has one element in a run is expanded. Asked for 1, it keeps its name, since 1 is a broadcast axis.
      const bool renames = !fusion.isConcrete() && !size->isConstant(1);
      if (renames) (axis.expandedExtent ? axis.expandedExtent : axis.extent) = size;
    } else if (!size->isConstant(1)) {
      FUSER_USER_CHECK(size->range.high >= 0, "expand of ", typeText(operand), ": negative size");
      axis.expandedExtent = size;
    }
  }
  return result;
}

InferredType inferFull(const Attributes& attributes) {
  FUSER_USER_CHECK(attributes.shape().size() <= kMaxRank, "full: more than 8 axes");
  InferredType result{true, attributes.dtype(), {}};
  for (IntExpr size : attributes.shape()) {
    FUSER_USER_CHECK(size->range.high >= 0, "full: negative size");
    result.axes.push_back({size->isConstant(1) ? IterType::Broadcast : IterType::Iteration, size, nullptr});
  }
  return result;
}

// ceil((end - start) / step) elements. A step that a run gives may have either sign, and is checked there.
InferredType inferRange(Fusion& fusion, const Attributes& attributes) {
  const IntExpr start = attributes.start(), end = attributes.end(), step = attributes.step();
  FUSER_USER_CHECK(!step->isConstant(0), "arange: the step is a number other than 0");
  FUSER_USER_CHECK(attributes.dtype() != DataType::Bool, "arange has no bool result");
  IntExprArena& ints = fusion.ints();
  const IntExpr one = ints.constant(1), minusOne = ints.constant(-1);
  const IntExpr sign = ints.max(ints.min(step, one), minusOne);
  const IntExpr stride = ints.max(ints.mul(sign, step), one);
  const IntExpr size = ints.ceilDiv(ints.mul(sign, ints.sub(end, start)), stride);
  FUSER_USER_CHECK(size->range.high >= 0, "arange: a step of ", step->value, " has the wrong sign for this range");
  return {true, attributes.dtype(), {{size->isConstant(1) ? IterType::Broadcast : IterType::Iteration, size, nullptr}}};
}

InferredType inferEye(const Attributes& attributes) {
  InferredType result{true, attributes.dtype(), {}};
  for (IntExpr size : {attributes.n(), attributes.m()}) {
    FUSER_USER_CHECK(size->range.high >= 0, "eye: negative size");
    result.axes.push_back({size->isConstant(1) ? IterType::Broadcast : IterType::Iteration, size, nullptr});
  }
  return result;
}

// Only a host tensor becomes a scalar: kernels never read host tensors, and scalars never depend on device data.
InferredType inferItem(const Val* operand) {
  FUSER_USER_CHECK(operand->as<TensorView>()->isCpuScalar(),
                   "item reads a tensor on the host, of rank 0 and declared {device = cpu}, not ", typeText(operand),
                   " on the device");
  switch (category(operand->dtype())) {
    case Category::Float: return {false, DataType::Double, {}};
    case Category::Int: return {false, DataType::Int64, {}};
    case Category::Bool: return {false, DataType::Bool, {}};
  }
  FUSER_CHECK(false, "bad Category");
}

// Either operand may be the result. An axis that one of them expands has its elements in the result.
InferredType inferBranch(std::span<Val* const> operands) {
  const Val *a = operands[0], *b = operands[1], *condition = operands[2];
  FUSER_USER_CHECK(condition->dtype() == DataType::Bool, "the condition of a branch is a bool scalar, not ",
                   condition->dtype());
  const std::vector<IterDomain*> axes = a->as<TensorView>()->axes(), others = b->as<TensorView>()->axes();
  const bool same = std::equal(axes.begin(), axes.end(), others.begin(), others.end(),
                               [](const IterDomain* x, const IterDomain* y) { return x->size() == y->size(); });
  FUSER_USER_CHECK(a->dtype() == b->dtype() && same, "the sides of a branch give ", typeText(a), " and ", typeText(b),
                   ": they must have one dtype and the same sizes");
  InferredType result{true, a->dtype(), axisTypesOf(a)};
  const std::vector<AxisType> given = axisTypesOf(b);
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].type == IterType::Iteration) result.axes[i] = given[i];
  }
  return result;
}

bool isScalarType(DataType dtype) {
  return dtype == DataType::Double || dtype == DataType::Int64 || dtype == DataType::Bool;
}

InferredType inferCast(const Val* operand, const Attributes& attributes) {
  if (operand->isTensor()) return {true, attributes.dtype(), axisTypesOf(operand)};
  FUSER_USER_CHECK(isScalarType(attributes.dtype()), "a scalar is f64, i64 or bool, not ", attributes.dtype());
  return {false, attributes.dtype(), {}};
}

InferredType inferBitcast(const Val* operand, const Attributes& attributes) {
  FUSER_USER_CHECK(bitcastFunction(operand->dtype(), attributes.dtype()), "bitcast of ", operand->dtype(), " to ",
                   attributes.dtype(), ": it takes f64 to i64, and f32, f16 or bf16 to i32, or back");
  return {true, attributes.dtype(), axisTypesOf(operand)};
}

// Checks the number and kinds of operands: first those in parentheses, then the scalars in braces.
void checkOperands(OpKind op, std::span<Val* const> operands) {
  const OpInfo& info = opInfo(op);
  const std::vector<FamilyAttribute>& attributes = familyAttributes(info.family);
  const auto isOperand = [](const FamilyAttribute& attribute) { return attribute.kind == AttributeKind::Operand; };
  const auto braced = static_cast<size_t>(std::count_if(attributes.begin(), attributes.end(), isOperand));
  const auto [least, most] = operandsInParentheses(info.family);
  const size_t count = std::clamp(operands.size(), least + braced, most == kAnyNumber ? most : most + braced);
  FUSER_USER_CHECK(operands.size() == count, info.mnemonic, " takes ", count == 0 ? "no" : concat(count),
                   count == 1 ? " operand" : " operands", ", not ", operands.size());
  if (takesScalars(info.family)) return;
  for (const Val* operand : operands.first(operands.size() - braced)) {
    FUSER_USER_CHECK(operand->isTensor(), info.mnemonic, " takes a tensor, not ", typeText(operand));
  }
  size_t place = operands.size() - braced;
  for (const FamilyAttribute& attribute : attributes) {
    if (!isOperand(attribute)) continue;
    const Val* operand = operands[place++];
    FUSER_USER_CHECK(operand->isScalar(), info.mnemonic, " takes a scalar '", attribute.text(), "', not ",
                     typeText(operand));
  }
}

}  // namespace

bool hasAxes(const TensorView& tensor, const InferredType& type) {
  const std::vector<IterDomain*>& axes = tensor.domain().logical;
  return std::equal(axes.begin(), axes.end(), type.axes.begin(), type.axes.end(),
                    [](const IterDomain* axis, const AxisType& wanted) {
                      const bool numbers = axis->extent()->isConstant() && wanted.extent->isConstant();
                      return axis->type() == wanted.type && axis->isExpanded() == (wanted.expandedExtent != nullptr) &&
                             (axis->extent() == wanted.extent || !numbers);
                    });
}

void checkOnDevice(OpKind op, std::span<Val* const> operands) {
  for (const Val* operand : operands) {
    FUSER_USER_CHECK(operand->isScalar() || !operand->as<TensorView>()->isCpuScalar(), opInfo(op).mnemonic,
                     " takes no tensor on the host (", typeText(operand), " {device = cpu}): read it with item");
  }
}

DataType resultType(std::span<Val* const> operands) {
  std::optional<DataType> dimensioned, rank0, scalars;
  bool tensors = false;
  const auto join = [](std::optional<DataType>& into, DataType dtype) {
    into = into ? promoteTypes(*into, dtype) : dtype;
  };
  for (const Val* operand : operands) {
    if (operand->isTensor()) {
      tensors = true;
      join(operand->as<TensorView>()->rank() == 0 ? rank0 : dimensioned, operand->dtype());
    } else {
      join(scalars, operand->dtype());
    }
  }
  FUSER_CHECK(!operands.empty(), "no operands");
  if (!tensors) return *scalars;
  if (scalars == DataType::Double) scalars = DataType::Float;  // PyTorch's default dtype
  return *combineClasses(dimensioned, combineClasses(rank0, scalars));
}

DataType commonType(OpKind op, std::span<Val* const> operands) {
  const std::vector<Val*> promoted = promotedOperands(op, operands);
  const bool tensor = std::any_of(operands.begin(), operands.end(), [](const Val* val) { return val->isTensor(); });
  DataType common = resultType(promoted);
  // where(tensor condition, scalar, scalar): a floating scalar has PyTorch's default dtype, f32.
  const bool scalarsOnly =
      std::all_of(promoted.begin(), promoted.end(), [](const Val* val) { return val->isScalar(); });
  if (tensor && scalarsOnly && common == DataType::Double) common = DataType::Float;
  return promotedType(op, common, !tensor);
}

InferredType infer(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes) {
  const Family family = opInfo(op).family;
  if (family != Family::Item) checkOnDevice(op, operands);
  checkOperands(op, operands);
  const Val* operand = operands.empty() ? nullptr : operands[0];
  switch (family) {
    case Family::Unary:
    case Family::Binary:
    case Family::Ternary: return inferPointwise(fusion, op, operands);
    case Family::Cast: return inferCast(operand, attributes);
    case Family::Bitcast: return inferBitcast(operand, attributes);
    case Family::LoadStore: return {true, operand->dtype(), axisTypesOf(operand)};
    case Family::Broadcast: return inferBroadcast(fusion, op, operand, attributes);
    case Family::Squeeze: return inferSqueeze(op, operand, attributes);
    case Family::Expand: return inferExpand(fusion, operand, attributes);
    case Family::Permute: return inferPermute(op, operand, attributes);
    case Family::Factory: return inferFull(attributes);
    case Family::Range: return inferRange(fusion, attributes);
    case Family::Eye: return inferEye(attributes);
    case Family::Size:
      checkDims(op, {attributes.dim()}, operand->as<TensorView>()->rank(), operand);
      return {false, DataType::Int64, {}};
    case Family::Item: return inferItem(operand);
    case Family::Slice: return inferSlice(fusion, op, operands, attributes);
    case Family::Pad: return inferPad(fusion, op, operands, attributes);
    case Family::Cat: return inferCat(fusion, op, operands, attributes);
    case Family::Reshape: return inferReshape(fusion, op, operands, attributes);
    case Family::Repeat: return inferRepeat(fusion, op, operands, attributes);
    case Family::Flip: return inferFlip(op, operand, attributes);
    case Family::Update: return inferUpdate(operands);
    case Family::Branch: return inferBranch(operands);
    case Family::Unfold: return inferUnfold(fusion, op, operands, attributes);
    case Family::Select: return inferSelect(fusion, op, operands, attributes);
    case Family::SliceScatter: return inferSliceScatter(fusion, op, operands, attributes);
    case Family::Gather: return inferGather(fusion, op, operands, attributes);
    case Family::Scatter: return inferScatter(fusion, op, operands, attributes);
    case Family::Reduction: return inferReduction(op, operand, attributes);
    case Family::Scan: return inferScan(op, operand, attributes);
    case Family::ExtremeIndex: return inferExtremeIndex(op, operand, attributes);
    case Family::Welford: return inferWelford(op, operand, attributes);
  }
  FUSER_CHECK(false, "bad Family");
}

std::optional<InferredType> inferIfValid(Fusion& fusion, OpKind op, std::span<Val* const> operands,
                                         const Attributes& attributes) {
  try {
    return infer(fusion, op, operands, attributes);
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return std::nullopt;
  }
}

std::string typeText(const Val* val) {
  if (val->isScalar()) return std::string(dtypeName(val->dtype()));
  const auto nameOf = [&](IntExpr symbol) { return val->fusion().ints().symbolOf(symbol).name; };
  std::string text = concat(val->dtype(), "[");
  bool first = true;
  for (const IterDomain* axis : val->as<TensorView>()->axes()) {
    if (!first) text += ", ";
    first = false;
    text += toString(axis->extent(), nameOf);
    if (axis->isExpanded()) text += "*" + toString(axis->expandedExtent(), nameOf);
  }
  return text + "]";
}

}  // namespace fuser
