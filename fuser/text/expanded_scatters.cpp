// Names that write at indices, made of a scatter or scatter_add.
#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"
#include "fuser/support/check.h"
#include "fuser/text/expansions.h"

namespace fuser::text {
namespace {

// Scatters slices to a vector of indices along an axis: each index for all places along the others.
TensorView* scatterSlices(Fusion& fusion, OpKind op, TensorView* tensor, TensorView* indices, TensorView* slices,
                          size_t dim, const std::string& name) {
  TensorView* places = placesAlong(fusion, indices, slices, dim, name);
  return build::structuralTensor(fusion, op, {tensor, places, slices}, Attributes().dim(static_cast<int64_t>(dim)),
                                 name);
}

TensorView* slicesAtIndices(Fusion& fusion, std::string_view op, OpKind kind, const std::vector<Val*>& operands,
                            const NamedAttributes& attributes, const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  auto* indices = operands[1]->as<TensorView>();
  auto* source = operands[2]->as<TensorView>();
  const size_t dim = axisOf(op, tensor, attributes.axis(AttributeName::dim));
  FUSER_USER_CHECK(indices->rank() <= 1, op, ": the indices have ", indices->rank(), " axes, not 0 or 1");
  if (indices->rank() == 0) indices = build::unsqueeze(fusion, indices, {0}, name + ".vector");
  std::vector<IntExpr> wanted = sizesOf(tensor);
  wanted[dim] = sizesOf(indices)[0];
  FUSER_USER_CHECK(source->dtype() == tensor->dtype(), op, " of ", typeText(source), " into ", typeText(tensor),
                   ": insert a cast");
  source = ofSizes(op, fusion, tensor->dtype(), source, wanted, name + ".slices");
  return scatterSlices(fusion, kind, tensor, indices, source, dim, name);
}

// The shape that tensors are broadcast to together, aligned at the last axis.
std::vector<IntExpr> commonShape(Fusion& fusion, std::span<TensorView* const> tensors) {
  std::vector<IntExpr> shape;
  for (const TensorView* tensor : tensors) {
    const std::vector<IntExpr> sizes = sizesOf(tensor);
    if (sizes.size() > shape.size())
      shape.insert(shape.begin(), sizes.size() - shape.size(), fusion.ints().constant(1));
    for (size_t i = 0; i < sizes.size(); ++i) {
      IntExpr& joined = shape[shape.size() - sizes.size() + i];
      if (joined->isConstant(1)) joined = sizes[i];
    }
  }
  return shape;
}

TensorView* broadcastTo(Fusion& fusion, TensorView* tensor, const std::vector<IntExpr>& shape,
                        const std::string& name) {
  return sizesOf(tensor) == shape ? tensor : build::expand(fusion, tensor, shape, name);
}

// Row-major over several axes: what each index says along its own; -1 where one of them is out of its range.
Val* rowMajor(Fusion& fusion, std::span<TensorView* const> indices, std::span<Val* const> sizes,
              const std::string& name) {
  Val* zero = fusion.newConstant(ScalarValue(int64_t{0}));
  Val *number = nullptr, *isInside = nullptr;
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    const std::string own = concat(name, ".", axis);
    Val* isLow = build::binary(fusion, OpKind::Ge, indices[axis], zero, own + ".low");
    Val* isHigh = build::binary(fusion, OpKind::Lt, indices[axis], sizes[axis], own + ".high");
    Val* inside = build::binary(fusion, OpKind::LogicalAnd, isLow, isHigh, own + ".inside");
    isInside = isInside ? build::binary(fusion, OpKind::LogicalAnd, isInside, inside, own + ".all") : inside;
    if (!number) {
      number = indices[axis];
      continue;
    }
    Val* row = build::binary(fusion, OpKind::Mul, number, sizes[axis], own + ".row");
    number = build::binary(fusion, OpKind::Add, row, indices[axis], own + ".number");
  }
  return build::where(fusion, isInside, number, fusion.newConstant(ScalarValue(int64_t{-1})), name + ".number");
}

// Values for the places of a mask of the first axes, one slice for all of them: a `where`.
TensorView* putAtMask(Fusion& fusion, TensorView* tensor, TensorView* mask, TensorView* values, bool adds,
                      const std::string& name) {
  const size_t rank = tensor->rank(), rest = rank - mask->rank();
  const bool isOneForAll = values->rank() <= rest || (values->rank() == rest + 1 && sizesOf(values)[0]->isConstant(1));
  FUSER_USER_CHECK(isOneForAll, "index_put at a mask: values of ", typeText(values),
                   ", of which there would be one for each place that holds: how many, only a run knows");
  // As PyTorch does, which makes a masked_fill of a single value.
  const std::vector<IntExpr> given = sizesOf(values);
  const bool isSingle =
      !adds && std::all_of(given.begin(), given.end(), [](IntExpr size) { return size->isConstant(1); });
  FUSER_USER_CHECK(isSingle || values->dtype() == tensor->dtype(), "index_put of ", typeText(values), " into ",
                   typeText(tensor), ": insert a cast");
  if (values->dtype() != tensor->dtype()) {
    values = build::cast(fusion, values, tensor->dtype(), name + ".cast")->as<TensorView>();
  }
  const std::vector<IntExpr> whole = sizesOf(tensor);
  const auto middle = whole.begin() + static_cast<ptrdiff_t>(mask->rank());
  mask = ofSizes("index_put at a mask", fusion, DataType::Bool, mask, {whole.begin(), middle}, name + ".where");
  if (values->rank() > rest) values = build::squeeze(fusion, values, {0}, name + ".value");
  values = broadcastTo(fusion, values, {middle, whole.end()}, name + ".values");
  std::vector<int64_t> behind;
  for (size_t axis = mask->rank(); axis < rank; ++axis) behind.push_back(static_cast<int64_t>(axis));
  if (!behind.empty()) mask = build::unsqueeze(fusion, mask, behind, name + ".mask");
  Val* put = adds ? build::binary(fusion, OpKind::Add, tensor, values, name + ".sum") : values;
  return build::where(fusion, mask, put, tensor, name)->as<TensorView>();
}

}  // namespace

// torch.index_add: sums of slices, at a vector of indices or a single one, each times alpha. 16 bits in f32, rounded
// once.
TensorView* indexAdded(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                       const std::string& name) {
  if (!attributes.hasOperand(AttributeName::alpha)) {
    return slicesAtIndices(fusion, "index_add", OpKind::ScatterAdd, operands, attributes, name);
  }
  Val* alpha = attributes.operand(AttributeName::alpha);
  const DataType dtype = operands[0]->dtype();
  FUSER_USER_CHECK(operands[2]->dtype() == dtype, "index_add of ", typeText(operands[2]), " into ",
                   typeText(operands[0]), ": insert a cast");
  FUSER_USER_CHECK(dtype != DataType::Bool, "index_add does not take bool, which has no sum");
  FUSER_USER_CHECK(isFloating(dtype) || !isFloating(alpha->dtype()),
                   "index_add: 'alpha' is a floating scalar beside integers");
  const bool isNarrow = isNarrowFloat(dtype);
  std::vector<Val*> wide = operands;
  for (size_t i : {size_t{0}, size_t{2}}) {
    if (isNarrow) wide[i] = build::cast(fusion, wide[i], DataType::Float, concat(name, ".wide", i));
  }
  wide[2] = build::binary(fusion, OpKind::Mul, wide[2], alpha, name + ".scaled");
  TensorView* sum =
      slicesAtIndices(fusion, "index_add", OpKind::ScatterAdd, wide, attributes, isNarrow ? name + ".sum" : name);
  return isNarrow ? build::cast(fusion, sum, dtype, name)->as<TensorView>() : sum;
}

// torch.index_fill: the value in place of the slices at a vector of indices or a single one; negative ones count from
// the end.
TensorView* indexFilled(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                        const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  auto* indices = operands[1]->as<TensorView>();
  const size_t dim = axisOf("index_fill", tensor, attributes.axis(AttributeName::dim));
  FUSER_USER_CHECK(indices->rank() <= 1, "index_fill: the indices have ", indices->rank(), " axes, not 0 or 1");
  FUSER_USER_CHECK(indices->dtype() == DataType::Int64, "index_fill: indices are i64, not ", indices->dtype());
  if (indices->rank() == 0) indices = build::unsqueeze(fusion, indices, {0}, name + ".vector");
  indices = countedFromStart(fusion, indices, sizeAsScalar(fusion, tensor, dim, name + ".size"), name);
  std::vector<IntExpr> shape = sizesOf(tensor);
  shape[dim] = sizesOf(indices)[0];
  Val* value =
      filling("index_fill", fusion, attributes.operand(AttributeName::value), tensor->dtype(), name + ".value");
  TensorView* slices = build::full(fusion, shape, value, tensor->dtype(), name + ".slices");
  return scatterSlices(fusion, OpKind::Scatter, tensor, indices, slices, dim, name);
}

// torch.scatter with one value for all indices.
TensorView* scatteredValue(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                           const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  auto* indices = operands[1]->as<TensorView>();
  Val* value = filling("scatter", fusion, attributes.operand(AttributeName::value), tensor->dtype(), name + ".value");
  TensorView* elements = build::full(fusion, sizesOf(indices), value, tensor->dtype(), name + ".elements");
  return build::structuralTensor(fusion, OpKind::Scatter, {tensor, indices, elements},
                                 Attributes().dim(attributes.axis(AttributeName::dim)), name);
}

// torch.index_copy: slices in place of those at the indices.
TensorView* indexCopied(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                        const std::string& name) {
  return slicesAtIndices(fusion, "index_copy", OpKind::Scatter, operands, attributes, name);
}

// torch.index_put: a tensor, indices of its first axes, which meet each other, and values for each of them; or a mask
// of the first axes.
TensorView* indexPut(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                     const std::string& name) {
  FUSER_USER_CHECK(operands.size() >= 3, "index_put takes a tensor, indices of its first axes, and values");
  auto* tensor = operands[0]->as<TensorView>();
  auto* values = operands.back()->as<TensorView>();
  const size_t axes = operands.size() - 2;
  FUSER_USER_CHECK(axes <= tensor->rank(), "index_put: indices of ", axes, " axes, and ", typeText(tensor), " has ",
                   tensor->rank());
  if (operands[1]->dtype() == DataType::Bool) {
    auto* mask = operands[1]->as<TensorView>();
    FUSER_USER_CHECK(axes == 1 && 1 <= mask->rank() && mask->rank() <= tensor->rank(),
                     "index_put takes one mask, of the first axes, and no indices beside it");
    return putAtMask(fusion, tensor, mask, values, attributes.flagOr(AttributeName::accumulate, false), name);
  }
  IntExprArena& ints = fusion.ints();
  std::vector<TensorView*> indices;
  std::vector<Val*> sizes;
  for (size_t axis = 0; axis < axes; ++axis) {
    auto* given = operands[axis + 1]->as<TensorView>();
    FUSER_USER_CHECK(given->dtype() == DataType::Int64 || given->dtype() == DataType::Int32,
                     "index_put: indices are i64 or i32, not ", given->dtype());
    if (given->dtype() != DataType::Int64) {
      given = build::cast(fusion, given, DataType::Int64, concat(name, ".", axis, ".wide"))->as<TensorView>();
    }
    sizes.push_back(sizeAsScalar(fusion, tensor, axis, concat(name, ".size", axis)));
    indices.push_back(countedFromStart(fusion, given, sizes.back(), concat(name, ".", axis)));
  }
  const std::vector<IntExpr> whole = sizesOf(tensor);
  const std::vector<IntExpr> places = commonShape(fusion, indices);
  FUSER_USER_CHECK(places.size() + tensor->rank() - axes <= kMaxRank, "index_put: more than ", kMaxRank, " axes");
  TensorView* numbers = indices[0];
  if (axes > 1) numbers = rowMajor(fusion, indices, sizes, name)->as<TensorView>();
  numbers = broadcastTo(fusion, numbers, places, name + ".numbers");
  IntExpr count = ints.constant(1), rows = ints.constant(1);
  for (IntExpr size : places) count = ints.mul(count, size);
  for (size_t axis = 0; axis < axes; ++axis) rows = ints.mul(rows, whole[axis]);
  std::vector<IntExpr> wide = places, flat{count}, table{rows};
  for (std::vector<IntExpr>* shape : {&wide, &flat, &table}) {
    shape->insert(shape->end(), whole.begin() + static_cast<ptrdiff_t>(axes), whole.end());
  }
  const auto reshaped = [&](TensorView* from, const std::vector<IntExpr>& shape, const char* what) {
    return sizesOf(from) == shape ? from : build::reshape(fusion, from, shape, name + what);
  };
  FUSER_USER_CHECK(values->rank() <= wide.size(), "index_put: values of ", typeText(values), " for ", wide.size(),
                   " axes of what the indices name");
  values = reshaped(broadcastTo(fusion, values, wide, name + ".values"), flat, ".slices");
  const bool adds = attributes.flagOr(AttributeName::accumulate, false);
  TensorView* result =
      scatterSlices(fusion, adds ? OpKind::ScatterAdd : OpKind::Scatter, reshaped(tensor, table, ".table"),
                    reshaped(numbers, {count}, ".vector"), values, 0, axes == 1 ? name : name + ".rows");
  return axes == 1 ? result : build::reshape(fusion, result, whole, name);
}

}  // namespace fuser::text
