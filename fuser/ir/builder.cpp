#include "fuser/ir/builder.h"

#include <algorithm>
#include <numeric>

#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"

namespace fuser::build {
namespace {

// The first of "x.c1", "x.c2", … that names no result of a use of x.
std::string insertedName(const Val* operand, char letter) {
  if (operand->name().empty()) return "";
  for (int i = 1;; ++i) {
    const std::string name = operand->name() + "." + letter + std::to_string(i);
    const bool taken = std::any_of(operand->uses().begin(), operand->uses().end(),
                                   [&](const Expr* use) { return use->output()->name() == name; });
    if (!taken) return name;
  }
}

// Infers the result type, then creates the results and the expression.
std::vector<Val*> emitAll(Fusion& fusion, OpKind op, std::vector<Val*> operands, Attributes attributes,
                          const std::vector<std::string>& names) {
  const InferredType type = infer(fusion, op, operands, attributes);
  std::vector<Val*> results;
  for (const std::string& name : names) {
    if (!type.tensor) {
      results.push_back(fusion.newScalar(type.dtype, name));
      continue;
    }
    TensorDomain domain;
    for (const AxisType& axis : type.axes) {
      domain.logical.push_back(fusion.newIterDomain(axis.type, axis.extent, axis.expandedExtent));
    }
    results.push_back(fusion.newTensor(type.dtype, std::move(domain), name));
  }
  fusion.newExpr(op, std::move(operands), results, std::move(attributes));
  return results;
}

Val* emit(Fusion& fusion, OpKind op, std::vector<Val*> operands, Attributes attributes, const std::string& name) {
  return emitAll(fusion, op, std::move(operands), std::move(attributes), {name}).front();
}

// Adds leading broadcast axes to each tensor operand, up to the largest rank among them.
std::vector<Val*> alignRanks(Fusion& fusion, std::vector<Val*> operands) {
  size_t rank = 0;
  for (const Val* operand : operands) {
    if (operand->isTensor()) rank = std::max(rank, operand->as<TensorView>()->rank());
  }
  for (Val*& operand : operands) {
    if (operand->isScalar()) continue;
    std::vector<int64_t> dims;
    for (size_t i = operand->as<TensorView>()->rank(); i < rank; ++i) dims.push_back(static_cast<int64_t>(dims.size()));
    if (!dims.empty()) operand = unsqueeze(fusion, operand->as<TensorView>(), dims, insertedName(operand, 'b'));
  }
  return operands;
}

}  // namespace

Val* pointwise(Fusion& fusion, OpKind op, Operands operands, const std::string& name) {
  const OpInfo& info = opInfo(op);
  FUSER_USER_CHECK(operands.size() == operandCount(op), info.mnemonic, " takes ", operandCount(op), " operands, not ",
                   operands.size());
  checkOnDevice(op, operands);
  std::vector<Val*> converted(operands.begin(), operands.end());
  if (std::any_of(converted.begin(), converted.end(), [](const Val* val) { return val->isTensor(); })) {
    const DataType common = commonType(op, operands);
    for (size_t i = takesCondition(op, 0) ? 1 : 0; i < converted.size(); ++i) {
      if (converted[i]->isScalar() || converted[i]->dtype() == common) continue;
      converted[i] = cast(fusion, converted[i], common, insertedName(converted[i], 'c'));
    }
    converted = alignRanks(fusion, std::move(converted));
  }
  return emit(fusion, op, std::move(converted), {}, name);
}

Val* unary(Fusion& fusion, OpKind op, Val* a, const std::string& name) {
  Val* operands[] = {a};
  return pointwise(fusion, op, operands, name);
}

Val* binary(Fusion& fusion, OpKind op, Val* a, Val* b, const std::string& name) {
  Val* operands[] = {a, b};
  return pointwise(fusion, op, operands, name);
}

Val* where(Fusion& fusion, Val* condition, Val* a, Val* b, const std::string& name) {
  Val* operands[] = {condition, a, b};
  return pointwise(fusion, OpKind::Where, operands, name);
}

namespace {

using Names = std::vector<std::string>;

// The rank of the first operand; 0 if it is missing or a scalar, which inference then rejects.
size_t rankOf(const std::vector<Val*>& operands) {
  return operands.empty() || operands[0]->isScalar() ? 0 : operands[0]->as<TensorView>()->rank();
}

// Makes negative axes non-negative, replaces an empty list whose default is `all` by all axes, and sorts the list where
// the row says that order has no meaning.
void normalizeAxes(const FamilyAttribute& attribute, size_t rank, Attributes& attributes) {
  std::vector<int64_t> axes;
  if (attributes.has(attribute.name)) axes = attributes.axes(attribute.name);
  if (attribute.kind == AttributeKind::Axis && axes.empty()) axes = {attribute.defaultNumber()};
  if (attribute.kind == AttributeKind::Axes && attribute.ofResult) rank += axes.size();
  // PyTorch reduces a tensor of rank 0 along axis 0 or -1.
  const bool ofRank0 = rank == 0 && attribute.ifAbsent == "all" && axes.size() == 1 && (axes[0] == 0 || axes[0] == -1);
  if (ofRank0) axes.clear();
  // One that is beyond the first stays as it is written, and inference refuses it.
  for (int64_t& axis : axes) {
    if (axis < 0 && axis + static_cast<int64_t>(rank) >= 0) axis += static_cast<int64_t>(rank);
  }
  if (attribute.ifAbsent == "all" && axes.empty()) {
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (attribute.sorted) std::sort(axes.begin(), axes.end());
  attributes.setAxes(attribute.name, std::move(axes));
}

// The size of the axis `dim`; an arbitrary number if there is no such axis, which inference rejects.
IntExpr sizeAlong(Fusion& fusion, const std::vector<Val*>& operands, const Attributes& attributes) {
  const int64_t dim = attributes.dim();
  const bool inside = dim >= 0 && dim < static_cast<int64_t>(rankOf(operands));
  return inside ? operands[0]->as<TensorView>()->axes()[static_cast<size_t>(dim)]->size() : fusion.ints().constant(0);
}

void fillBound(Fusion& fusion, const FamilyAttribute& attribute, const std::vector<Val*>& operands,
               Attributes& attributes) {
  if (attributes.has(attribute.name) && attributes.bound(attribute.name)) return;
  if (const std::optional<AttributeName> other = defaultName(attribute)) {
    attributes.setBound(attribute.name, attributes.bound(*other));
    return;
  }
  attributes.setBound(attribute.name, attribute.ifAbsent == "size" ? sizeAlong(fusion, operands, attributes)
                                                                   : fusion.ints().constant(attribute.defaultNumber()));
}

// Fills in the defaults of the family's row and makes axes non-negative.
void normalize(Fusion& fusion, Family family, const std::vector<Val*>& operands, Attributes& attributes) {
  for (const FamilyAttribute& attribute : familyAttributes(family)) {
    switch (attribute.kind) {
      case AttributeKind::Axis:
      case AttributeKind::Axes: normalizeAxes(attribute, rankOf(operands), attributes); break;
      case AttributeKind::Extent:
      case AttributeKind::Bound: fillBound(fusion, attribute, operands, attributes); break;
      case AttributeKind::Number:
        if (!attributes.has(attribute.name)) attributes.setNumber(attribute.name, attribute.defaultNumber());
        break;
      case AttributeKind::Extents:
      case AttributeKind::Counts:
      case AttributeKind::Bounds:
      case AttributeKind::Dtype:
      case AttributeKind::Mark:
      case AttributeKind::Flag:
      case AttributeKind::Word:
      case AttributeKind::Operand: break;
    }
  }
}

// Inserts the casts of type promotion: sums of integers to i64, any and all to bool, the operands of cat to one dtype,
// those of slice_scatter to that of the first.
void promote(Fusion& fusion, OpKind op, std::vector<Val*>& operands) {
  const OpInfo& info = opInfo(op);
  std::optional<DataType> wanted;
  const DataType dtype = operands[0]->dtype();
  if (info.promotion == Promotion::Integral64 && !isFloating(dtype)) wanted = DataType::Int64;
  if (info.promotion == Promotion::Truth) wanted = DataType::Bool;
  const FamilyOperands kinds = familyInfo(info.family).operands;
  if (kinds == FamilyOperands::Tensors) wanted = resultType(operands);
  if (kinds == FamilyOperands::Into) wanted = dtype;
  for (Val*& operand : operands) {
    if (!wanted || !operand->isTensor() || operand->dtype() == *wanted) continue;
    operand = cast(fusion, operand, *wanted, insertedName(operand, 'c'));
  }
}

// Adds leading axes when an attribute such as `repeats` has more entries than the operand has axes.
void addLeadingAxes(Fusion& fusion, OpKind op, std::vector<Val*>& operands, const Attributes& attributes) {
  for (const FamilyAttribute& attribute : familyAttributes(opInfo(op).family)) {
    if (!attribute.leading) continue;
    const std::vector<IntExpr>& sizes = attributes.integers(attribute.name);
    auto* a = operands[0]->as<TensorView>();
    if (sizes.size() <= a->rank()) continue;
    FUSER_USER_CHECK(sizes.size() <= kMaxRank, opInfo(op).mnemonic, " of ", typeText(a), ": more than 8 axes");
    std::vector<int64_t> dims(sizes.size() - a->rank());
    std::iota(dims.begin(), dims.end(), 0);
    operands[0] = unsqueeze(fusion, a, dims, insertedName(a, 'b'));
  }
}

// What an update writes, expanded to the axes that it is written to.
Val* broadcastInto(Fusion& fusion, TensorView* target, TensorView* source) {
  FUSER_USER_CHECK(source->rank() <= target->rank(), "update of ", typeText(target), " with ", typeText(source),
                   ": it has more axes");
  std::vector<int64_t> added(target->rank() - source->rank());
  std::iota(added.begin(), added.end(), 0);
  if (!added.empty()) source = unsqueeze(fusion, source, added, insertedName(source, 'b'));
  std::vector<IntExpr> shape;
  bool grows = false;
  const std::vector<IterDomain*> wanted = target->axes(), given = source->axes();
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto isOne = [](const IterDomain* axis) { return axis->isBroadcast() && !axis->isExpanded(); };
    const bool expands = isOne(given[i]) && !isOne(wanted[i]);
    shape.push_back(expands ? wanted[i]->size() : fusion.ints().constant(-1));
    grows |= expands;
  }
  return grows ? expand(fusion, source, shape, insertedName(source, 'e')) : source;
}

}  // namespace

std::vector<Val*> structural(Fusion& fusion, OpKind op, std::vector<Val*> operands, Attributes attributes,
                             const Names& names, bool keepdim) {
  const OpInfo& info = opInfo(op);
  const FamilyInfo& family = familyInfo(info.family);
  if (info.family != Family::Item) checkOnDevice(op, operands);
  FUSER_USER_CHECK(operands.size() >= operandsInParentheses(info.family).least, info.mnemonic, " takes a tensor");
  normalize(fusion, info.family, operands, attributes);
  if (!operands.empty()) promote(fusion, op, operands);
  addLeadingAxes(fusion, op, operands, attributes);
  if (info.family == Family::Update) {
    auto* target = operands[0]->as<TensorView>();
    operands[1] = broadcastInto(fusion, target, operands[1]->as<TensorView>());
  }
  if (family.elements == Elements::Move) checkViewSizes(fusion, op, operands, attributes);
  const std::vector<int64_t> restored = keepdim ? attributes.dims() : std::vector<int64_t>();
  Names innerNames = names;
  innerNames.resize(info.results);
  if (info.family == Family::Update && innerNames[0].empty()) innerNames[0] = insertedName(operands[0], 'w');
  for (std::string& name : innerNames) name += !restored.empty() && !name.empty() ? ".r" : "";
  std::vector<Val*> results = emitAll(fusion, op, std::move(operands), std::move(attributes), innerNames);
  for (size_t i = 0; !restored.empty() && i < results.size(); ++i) {
    results[i] = unsqueeze(fusion, results[i]->as<TensorView>(), restored, i < names.size() ? names[i] : "");
  }
  return results;
}

TensorView* structuralTensor(Fusion& fusion, OpKind op, std::vector<Val*> operands, Attributes attributes,
                             const std::string& name) {
  return structural(fusion, op, std::move(operands), std::move(attributes), {name})[0]->as<TensorView>();
}

Val* cast(Fusion& fusion, Val* a, DataType dtype, const std::string& name) {
  return structural(fusion, OpKind::Cast, {a}, Attributes().dtype(dtype), {name})[0];
}

TensorView* reduction(Fusion& fusion, OpKind op, TensorView* a, std::vector<int64_t> dims, bool keepdim,
                      const std::string& name) {
  return structural(fusion, op, {a}, Attributes().dims(std::move(dims)), {name}, keepdim)[0]->as<TensorView>();
}

std::vector<TensorView*> welford(Fusion& fusion, OpKind op, TensorView* a, std::vector<int64_t> dims,
                                 int64_t correction, bool keepdim, const Names& names) {
  std::vector<TensorView*> results;
  Attributes attributes = Attributes().dims(std::move(dims)).correction(correction);
  for (Val* result : structural(fusion, op, {a}, std::move(attributes), names, keepdim)) {
    results.push_back(result->as<TensorView>());
  }
  return results;
}

TensorView* set(Fusion& fusion, TensorView* a, const std::string& name) {
  return structuralTensor(fusion, OpKind::Set, {a}, {}, name);
}

TensorView* segmentSet(Fusion& fusion, TensorView* a, const std::string& name) {
  return structuralTensor(fusion, OpKind::SegmentSet, {a}, {}, name);
}

TensorView* unsqueeze(Fusion& fusion, TensorView* a, std::vector<int64_t> dims, const std::string& name) {
  return structuralTensor(fusion, OpKind::Unsqueeze, {a}, Attributes().dims(std::move(dims)), name);
}

TensorView* squeeze(Fusion& fusion, TensorView* a, std::vector<int64_t> dims, const std::string& name) {
  return structuralTensor(fusion, OpKind::Squeeze, {a}, Attributes().dims(std::move(dims)), name);
}

TensorView* permute(Fusion& fusion, TensorView* a, std::vector<int64_t> dims, const std::string& name) {
  return structuralTensor(fusion, OpKind::Permute, {a}, Attributes().dims(std::move(dims)), name);
}

TensorView* expand(Fusion& fusion, TensorView* a, std::vector<IntExpr> shape, const std::string& name) {
  return structuralTensor(fusion, OpKind::Expand, {a}, Attributes().shape(std::move(shape)), name);
}

TensorView* full(Fusion& fusion, std::vector<IntExpr> shape, Val* fillValue, DataType dtype, const std::string& name) {
  return structuralTensor(fusion, OpKind::Full, {fillValue}, Attributes().shape(std::move(shape)).dtype(dtype), name);
}

TensorView* arange(Fusion& fusion, IntExpr start, IntExpr end, IntExpr step, DataType dtype, const std::string& name) {
  Attributes attributes = Attributes().start(start).end(end).step(step).dtype(dtype);
  return structuralTensor(fusion, OpKind::Arange, {}, std::move(attributes), name);
}

Scalar* size(Fusion& fusion, TensorView* a, int64_t dim, const std::string& name) {
  return structural(fusion, OpKind::Size, {a}, Attributes().dim(dim), {name})[0]->as<Scalar>();
}

TensorView* slice(Fusion& fusion, TensorView* a, int64_t dim, IntExpr start, IntExpr end, IntExpr step,
                  const std::string& name) {
  Attributes attributes = Attributes().dim(dim).start(start).end(end).step(step);
  return structuralTensor(fusion, OpKind::Slice, {a}, std::move(attributes), name);
}

TensorView* pad(Fusion& fusion, TensorView* a, std::vector<IntExpr> pads, Val* value, const std::string& name) {
  return structuralTensor(fusion, OpKind::Pad, {a, value}, Attributes().pad(std::move(pads)), name);
}

TensorView* cat(Fusion& fusion, Operands tensors, int64_t dim, const std::string& name) {
  return structuralTensor(fusion, OpKind::Cat, {tensors.begin(), tensors.end()}, Attributes().dim(dim), name);
}

TensorView* reshape(Fusion& fusion, TensorView* a, std::vector<IntExpr> shape, const std::string& name) {
  return structuralTensor(fusion, OpKind::Reshape, {a}, Attributes().shape(std::move(shape)), name);
}

TensorView* repeat(Fusion& fusion, TensorView* a, std::vector<IntExpr> repeats, const std::string& name) {
  return structuralTensor(fusion, OpKind::Repeat, {a}, Attributes().repeats(std::move(repeats)), name);
}

TensorView* cond(Fusion& fusion, TensorView* a, TensorView* b, Val* condition, const std::string& name) {
  return structuralTensor(fusion, OpKind::Cond, {a, b, condition}, {}, name);
}

TensorView* asWritten(Fusion& fusion, TensorView* target, TensorView* source) {
  const DataType dtype = target->dtype();
  Val* converted = source->dtype() == dtype ? source : cast(fusion, source, dtype, insertedName(source, 'c'));
  return broadcastInto(fusion, target, converted->as<TensorView>())->as<TensorView>();
}

Expr* update(Fusion& fusion, TensorView* target, TensorView* source) {
  return structural(fusion, OpKind::Update, {target, source}, {})[0]->definition();
}

Scalar* item(Fusion& fusion, TensorView* a, const std::string& name) {
  return structural(fusion, OpKind::Item, {a}, {}, {name})[0]->as<Scalar>();
}

TensorView* hostInput(Fusion& fusion, DataType dtype, const std::string& name) {
  TensorView* tensor = fusion.newTensor(dtype, {}, name);
  tensor->setCpuScalar(true);
  fusion.addInput(tensor);
  return tensor;
}

TensorView* input(Fusion& fusion, DataType dtype, const std::vector<IntExpr>& sizes, const std::string& name) {
  FUSER_USER_CHECK(sizes.size() <= kMaxRank, "%", name, ": more than 8 axes");
  TensorDomain domain;
  for (IntExpr size : sizes) {
    domain.logical.push_back(
        fusion.newIterDomain(size->isConstant(1) ? IterType::Broadcast : IterType::Iteration, size));
  }
  TensorView* tensor = fusion.newTensor(dtype, std::move(domain), name);
  fusion.addInput(tensor);
  return tensor;
}

}  // namespace fuser::build
