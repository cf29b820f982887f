#include "fuser/ir/builder.h"

#include <algorithm>

#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"

namespace fuser::build {
namespace {

// The first of "x.c1", "x.c2", … that no result of a use of x has.
std::string insertedName(const Val* operand, char letter) {
  if (operand->name().empty()) return "";
  for (int i = 1;; ++i) {
    const std::string name = operand->name() + "." + letter + std::to_string(i);
    const bool taken = std::any_of(operand->uses().begin(), operand->uses().end(),
                                   [&](const Expr* use) { return use->output()->name() == name; });
    if (!taken) return name;
  }
}

// Infers, makes the results and the expression.
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

TensorView* emitTensor(Fusion& fusion, OpKind op, std::vector<Val*> operands, Attributes attributes,
                       const std::string& name) {
  return emit(fusion, op, std::move(operands), std::move(attributes), name)->as<TensorView>();
}

TensorView* emitView(Fusion& fusion, OpKind op, std::vector<Val*> operands, Attributes attributes,
                     const std::string& name) {
  checkViewSizes(fusion, op, operands, attributes);
  return emitTensor(fusion, op, std::move(operands), std::move(attributes), name);
}

// Negative entries count from the end.
std::vector<int64_t> wrapDims(std::vector<int64_t> dims, size_t rank) {
  for (int64_t& dim : dims) {
    if (dim < 0) dim += static_cast<int64_t>(rank);
  }
  return dims;
}

// Leading broadcast axes up to the largest rank among the operands.
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

Val* cast(Fusion& fusion, Val* a, DataType dtype, const std::string& name) {
  Attributes attributes;
  attributes.dtype = dtype;
  return emit(fusion, OpKind::Cast, {a}, std::move(attributes), name);
}

namespace {

// Of a reduction: sorted, counted from 0; all where none is given.
std::vector<int64_t> reducedDims(OpKind op, TensorView* a, std::vector<int64_t> dims) {
  Val* const operands[] = {a};
  checkOnDevice(op, operands);
  dims = wrapDims(std::move(dims), a->rank());
  if (dims.empty()) {
    for (size_t i = 0; i < a->rank(); ++i) dims.push_back(static_cast<int64_t>(i));
  }
  std::sort(dims.begin(), dims.end());
  return dims;
}

}  // namespace

TensorView* reduction(Fusion& fusion, OpKind op, TensorView* a, std::vector<int64_t> dims, bool keepdim,
                      const std::string& name) {
  dims = reducedDims(op, a, std::move(dims));
  const DataType dtype = a->dtype();
  if (opInfo(op).promotion == Promotion::Integral64 && !isFloating(dtype) && dtype != DataType::Int64) {
    a = cast(fusion, a, DataType::Int64, insertedName(a, 'c'))->as<TensorView>();
  }
  if (opInfo(op).promotion == Promotion::Truth && dtype != DataType::Bool) {
    a = cast(fusion, a, DataType::Bool, insertedName(a, 'c'))->as<TensorView>();
  }
  const bool restore = keepdim && !dims.empty();
  Attributes attributes;
  attributes.dims = dims;
  TensorView* reduced =
      emitTensor(fusion, op, {a}, std::move(attributes), restore && !name.empty() ? name + ".r" : name);
  return restore ? unsqueeze(fusion, reduced, dims, name) : reduced;
}

std::vector<TensorView*> welford(Fusion& fusion, OpKind op, TensorView* a, std::vector<int64_t> dims,
                                 int64_t correction, bool keepdim, const std::vector<std::string>& names) {
  Attributes attributes;
  attributes.dims = dims = reducedDims(op, a, std::move(dims));
  attributes.correction = correction;
  const bool restore = keepdim && !dims.empty();
  std::vector<std::string> wanted = names, made;
  wanted.resize(opInfo(op).results);
  for (const std::string& name : wanted) made.push_back(restore && !name.empty() ? name + ".r" : name);
  std::vector<TensorView*> results;
  for (Val* result : emitAll(fusion, op, {a}, std::move(attributes), made)) results.push_back(result->as<TensorView>());
  for (size_t i = 0; restore && i < results.size(); ++i) results[i] = unsqueeze(fusion, results[i], dims, wanted[i]);
  return results;
}

TensorView* set(Fusion& fusion, TensorView* a, const std::string& name) {
  return emitTensor(fusion, OpKind::Set, {a}, {}, name);
}

TensorView* segmentSet(Fusion& fusion, TensorView* a, const std::string& name) {
  return emitTensor(fusion, OpKind::SegmentSet, {a}, {}, name);
}

TensorView* unsqueeze(Fusion& fusion, TensorView* a, std::vector<int64_t> dims, const std::string& name) {
  Attributes attributes;
  const size_t rank = a->rank() + dims.size();
  attributes.dims = wrapDims(std::move(dims), rank);
  std::sort(attributes.dims.begin(), attributes.dims.end());
  return emitTensor(fusion, OpKind::Unsqueeze, {a}, std::move(attributes), name);
}

TensorView* squeeze(Fusion& fusion, TensorView* a, std::vector<int64_t> dims, const std::string& name) {
  Attributes attributes;
  attributes.dims = wrapDims(std::move(dims), a->rank());
  std::sort(attributes.dims.begin(), attributes.dims.end());
  return emitTensor(fusion, OpKind::Squeeze, {a}, std::move(attributes), name);
}

TensorView* permute(Fusion& fusion, TensorView* a, std::vector<int64_t> dims, const std::string& name) {
  Attributes attributes;
  attributes.dims = wrapDims(std::move(dims), a->rank());
  return emitTensor(fusion, OpKind::Permute, {a}, std::move(attributes), name);
}

TensorView* expand(Fusion& fusion, TensorView* a, std::vector<IntExpr> shape, const std::string& name) {
  if (shape.size() > a->rank()) {
    FUSER_USER_CHECK(shape.size() <= kMaxRank, "expand of ", typeText(a), ": more than 8 axes");
    std::vector<int64_t> dims(shape.size() - a->rank());
    for (size_t i = 0; i < dims.size(); ++i) dims[i] = static_cast<int64_t>(i);
    a = unsqueeze(fusion, a, dims, insertedName(a, 'b'));
  }
  Attributes attributes;
  attributes.shape = std::move(shape);
  return emitTensor(fusion, OpKind::Expand, {a}, std::move(attributes), name);
}

TensorView* full(Fusion& fusion, std::vector<IntExpr> shape, Val* fillValue, DataType dtype, const std::string& name) {
  Attributes attributes;
  attributes.shape = std::move(shape);
  attributes.dtype = dtype;
  return emitTensor(fusion, OpKind::Full, {fillValue}, std::move(attributes), name);
}

TensorView* arange(Fusion& fusion, IntExpr start, IntExpr end, IntExpr step, DataType dtype, const std::string& name) {
  Attributes attributes;
  attributes.shape = {start, end, step};
  attributes.dtype = dtype;
  return emitTensor(fusion, OpKind::Arange, {}, std::move(attributes), name);
}

Scalar* size(Fusion& fusion, TensorView* a, int64_t dim, const std::string& name) {
  Attributes attributes;
  attributes.dims = wrapDims({dim}, a->rank());
  return emit(fusion, OpKind::Size, {a}, std::move(attributes), name)->as<Scalar>();
}

TensorView* slice(Fusion& fusion, TensorView* a, int64_t dim, IntExpr start, IntExpr end, IntExpr step,
                  const std::string& name) {
  Attributes attributes;
  attributes.dims = wrapDims({dim}, a->rank());
  const bool inside = attributes.dims[0] >= 0 && attributes.dims[0] < static_cast<int64_t>(a->rank());
  if (!end) end = inside ? a->axes()[attributes.dims[0]]->size() : start;
  attributes.shape = {start, end, step};
  return emitView(fusion, OpKind::Slice, {a}, std::move(attributes), name);
}

TensorView* pad(Fusion& fusion, TensorView* a, std::vector<IntExpr> pads, Val* value, const std::string& name) {
  Attributes attributes;
  attributes.shape = std::move(pads);
  return emitView(fusion, OpKind::Pad, {a, value}, std::move(attributes), name);
}

TensorView* cat(Fusion& fusion, Operands tensors, int64_t dim, const std::string& name) {
  FUSER_USER_CHECK(!tensors.empty(), "cat takes a tensor");
  std::vector<Val*> operands(tensors.begin(), tensors.end());
  const DataType common = resultType(tensors);
  for (Val*& operand : operands) {
    if (operand->isTensor() && operand->dtype() != common) {
      operand = cast(fusion, operand, common, insertedName(operand, 'c'));
    }
  }
  Attributes attributes;
  attributes.dims = {dim};
  if (operands[0]->isTensor()) attributes.dims = wrapDims({dim}, operands[0]->as<TensorView>()->rank());
  return emitView(fusion, OpKind::Cat, std::move(operands), std::move(attributes), name);
}

TensorView* reshape(Fusion& fusion, TensorView* a, std::vector<IntExpr> shape, const std::string& name) {
  Attributes attributes;
  attributes.shape = std::move(shape);
  return emitView(fusion, OpKind::Reshape, {a}, std::move(attributes), name);
}

TensorView* repeat(Fusion& fusion, TensorView* a, std::vector<IntExpr> repeats, const std::string& name) {
  Attributes attributes;
  attributes.shape = std::move(repeats);
  return emitView(fusion, OpKind::Repeat, {a}, std::move(attributes), name);
}

Scalar* item(Fusion& fusion, TensorView* a, const std::string& name) {
  return emit(fusion, OpKind::Item, {a}, {}, name)->as<Scalar>();
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
