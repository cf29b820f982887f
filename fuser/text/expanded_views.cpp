// roll, diagonal and diagonal_scatter. Each reads at indices that it counts; where sizes are numbers, they are proved
// to be in range.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"
#include "fuser/text/expansions.h"

namespace fuser::text {
namespace {

// Along one axis: the element at i comes from (i - shift) modulo the size.
TensorView* rolledAlong(Fusion& fusion, TensorView* tensor, size_t dim, int64_t shift, const std::string& name) {
  const IntExpr size = sizesOf(tensor)[dim];
  TensorView* counts = countsAlong(fusion, 0, size, 0, 1, name + ".to");
  Val* moved = build::binary(fusion, OpKind::Sub, counts, fusion.newConstant(ScalarValue(shift)), name + ".moved");
  Val* count = size->isConstant() ? fusion.newConstant(ScalarValue(size->value))
                                  : build::size(fusion, tensor, static_cast<int64_t>(dim), name + ".size");
  auto* from = build::binary(fusion, OpKind::Remainder, moved, count, name + ".from")->as<TensorView>();
  return indexSelected(fusion, tensor, from, dim, name);
}

// The elements (row, row + offset) of the matrices along two axes.
struct Diagonal {
  size_t dim1, dim2;
  int64_t offset;
  int64_t firstRow, firstColumn;
  IntExpr length;
};

Diagonal diagonalOf(std::string_view op, Fusion& fusion, const TensorView* tensor, const NamedAttributes& attributes) {
  FUSER_USER_CHECK(tensor->rank() >= 2, op, " of ", typeText(tensor), ": it has no two axes");
  Diagonal diagonal{};
  diagonal.dim1 = axisOf(op, tensor, attributes.axisOr(AttributeName::dim1, 0));
  diagonal.dim2 = axisOf(op, tensor, attributes.axisOr(AttributeName::dim2, 1));
  FUSER_USER_CHECK(diagonal.dim1 != diagonal.dim2, op, " of ", typeText(tensor), ": axis ", diagonal.dim1,
                   " is given twice");
  IntExprArena& ints = fusion.ints();
  const IntExpr offset =
      attributes.has(AttributeName::offset) ? attributes.bound(AttributeName::offset) : ints.constant(0);
  FUSER_USER_CHECK(offset->isConstant(), op, ": the offset is a number");
  diagonal.offset = offset->value;
  diagonal.firstRow = std::max<int64_t>(-offset->value, 0);
  diagonal.firstColumn = std::max<int64_t>(offset->value, 0);
  const std::vector<IntExpr> sizes = sizesOf(tensor);
  const IntExpr rows = ints.sub(sizes[diagonal.dim1], ints.constant(diagonal.firstRow));
  const IntExpr columns = ints.sub(sizes[diagonal.dim2], ints.constant(diagonal.firstColumn));
  diagonal.length = ints.max(ints.min(rows, columns), ints.constant(0));
  return diagonal;
}

// The axes but these two, in order.
std::vector<int64_t> otherAxes(const TensorView* tensor, const Diagonal& diagonal) {
  std::vector<int64_t> others;
  for (size_t axis = 0; axis < tensor->rank(); ++axis) {
    if (axis != diagonal.dim1 && axis != diagonal.dim2) others.push_back(static_cast<int64_t>(axis));
  }
  return others;
}

}  // namespace

// torch.roll: along each of the axes, or, without axes, of all elements as one row.
TensorView* rolled(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                   const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  std::vector<int64_t> shifts;
  for (IntExpr shift : attributes.integers(AttributeName::shifts)) {
    FUSER_USER_CHECK(shift->isConstant(), "roll: shifts are numbers");
    shifts.push_back(shift->value);
  }
  const bool isRow = !attributes.has(AttributeName::dims) || attributes.axes(AttributeName::dims).empty();
  FUSER_USER_CHECK(!shifts.empty() && shifts.size() == (isRow ? 1 : attributes.axes(AttributeName::dims).size()),
                   "roll takes one shift for each of its dims, or one without dims, not ", shifts.size());
  if (isRow) {
    const std::vector<IntExpr> sizes = sizesOf(tensor);
    TensorView* row = build::reshape(fusion, tensor, {fusion.ints().constant(-1)}, name + ".row");
    return build::reshape(fusion, rolledAlong(fusion, row, 0, shifts[0], name + ".rolled"), sizes, name);
  }
  const std::vector<int64_t>& dims = attributes.axes(AttributeName::dims);
  for (size_t i = 0; i < dims.size(); ++i) {
    const std::string own = i + 1 < dims.size() ? concat(name, ".dim", i) : name;
    tensor = rolledAlong(fusion, tensor, axisOf("roll", tensor, dims[i]), shifts[i], own);
  }
  return tensor;
}

// torch.diagonal: rows of one element each, at the column that its row says; the diagonal becomes the last axis.
TensorView* diagonal(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                     const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  IntExprArena& ints = fusion.ints();
  const Diagonal wanted = diagonalOf("diagonal", fusion, tensor, attributes);
  std::vector<int64_t> order = otherAxes(tensor, wanted);
  order.push_back(static_cast<int64_t>(wanted.dim1));
  order.push_back(static_cast<int64_t>(wanted.dim2));
  const size_t rank = tensor->rank();
  if (!std::is_sorted(order.begin(), order.end())) tensor = build::permute(fusion, tensor, order, name + ".last");
  if (wanted.firstRow > 0) {
    const auto dim = static_cast<int64_t>(rank - 2);
    tensor = build::slice(fusion, tensor, dim, ints.constant(wanted.firstRow), sizesOf(tensor)[rank - 2],
                          ints.constant(1), name + ".rows");
  }
  TensorView* columns = countsAlong(fusion, wanted.firstColumn, wanted.length, rank - 2, rank, name + ".column");
  std::vector<IntExpr> shape = sizesOf(tensor);
  shape[rank - 2] = shape[rank - 1] = ints.constant(-1);
  if (rank > 2) columns = build::expand(fusion, columns, shape, name + ".columns");
  const auto last = static_cast<int64_t>(rank - 1);
  TensorView* elements =
      build::structuralTensor(fusion, OpKind::Gather, {tensor, columns}, Attributes().dim(last), name + ".elements");
  return build::squeeze(fusion, elements, {last}, name);
}

// torch.diag_embed: matrices along two new axes, with the elements of the last axis on a diagonal and 0 elsewhere.
TensorView* diagonalEmbedded(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                             const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  FUSER_USER_CHECK(tensor->rank() >= 1, "diag_embed of ", typeText(tensor), ": it has no axis");
  FUSER_USER_CHECK(tensor->rank() < kMaxRank, "diag_embed of ", typeText(tensor), ": more than ", kMaxRank - 1,
                   " axes");
  IntExprArena& ints = fusion.ints();
  const IntExpr offset =
      attributes.has(AttributeName::offset) ? attributes.bound(AttributeName::offset) : ints.constant(0);
  FUSER_USER_CHECK(offset->isConstant(), "diag_embed: the offset is a number");
  const size_t rank = tensor->rank() + 1;
  const int64_t extra = std::abs(offset->value);
  Val* zero =
      filling("diag_embed", fusion, fusion.newConstant(ScalarValue(int64_t{0})), tensor->dtype(), name + ".zero");
  if (extra > 0) {  // behind the last element no place of the matrix has one
    tensor = build::pad(fusion, tensor, {ints.constant(0), ints.constant(extra)}, zero, name + ".padded");
  }
  const IntExpr size = sizesOf(tensor).back();
  // Of an offset to the right each row has its element, else each column.
  const bool byRow = offset->value >= 0;
  TensorView* values =
      build::unsqueeze(fusion, tensor, {static_cast<int64_t>(byRow ? rank - 1 : rank - 2)}, name + ".values");
  TensorView* rows = countsAlong(fusion, offset->value, size, rank - 2, rank, name + ".row");
  TensorView* columns = countsAlong(fusion, 0, size, rank - 1, rank, name + ".column");
  Val* isDiagonal = build::binary(fusion, OpKind::Eq, rows, columns, name + ".diagonal");
  NamedAttributes places;
  std::vector<int64_t> destination;
  for (const auto& [dim, otherwise] : {std::pair(AttributeName::dim1, -2), {AttributeName::dim2, -1}}) {
    destination.push_back(attributes.axisOr(dim, otherwise));
  }
  const std::string last = name + ".matrix";
  auto* matrix = build::where(fusion, isDiagonal, values, zero, last)->as<TensorView>();
  FUSER_USER_CHECK(axisOf("diag_embed", matrix, destination[0]) != axisOf("diag_embed", matrix, destination[1]),
                   "diag_embed: dim1 and dim2 are one axis");
  places.set(AttributeName::source, Attributes().source({-2, -1}));
  places.set(AttributeName::destination, Attributes().destination(destination));
  return moved(fusion, {matrix}, places, name);
}

// torch.diagonal_scatter: the second tensor on the diagonal, the first one elsewhere.
TensorView* diagonalScatter(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                            const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  auto* written = operands[1]->as<TensorView>();
  IntExprArena& ints = fusion.ints();
  const Diagonal wanted = diagonalOf("diagonal_scatter", fusion, tensor, attributes);
  const size_t rank = tensor->rank();
  const IntExpr rows = sizesOf(tensor)[wanted.dim1];
  std::vector<IntExpr> shape;  // that of torch.diagonal
  for (int64_t axis : otherAxes(tensor, wanted)) shape.push_back(sizesOf(tensor)[static_cast<size_t>(axis)]);
  shape.push_back(wanted.length);
  written = ofSizes("diagonal_scatter", fusion, tensor->dtype(), written, shape, name);
  const IntExpr low = ints.constant(wanted.firstRow), high = ints.sub(ints.sub(rows, low), wanted.length);
  Val* zero = fusion.newConstant(ScalarValue(0.0));
  TensorView* whole = build::pad(fusion, written, {low, high}, zero, name + ".padded");
  std::vector<int64_t> order;  // of the axes of `whole`, whose last one goes along dim1
  int64_t next = 0;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (axis == wanted.dim1) order.push_back(static_cast<int64_t>(rank - 2));
    if (axis != wanted.dim1 && axis != wanted.dim2) order.push_back(next++);
  }
  if (!std::is_sorted(order.begin(), order.end())) whole = build::permute(fusion, whole, order, name + ".placed");
  whole = build::unsqueeze(fusion, whole, {static_cast<int64_t>(wanted.dim2)}, name + ".values");
  TensorView* row = countsAlong(fusion, wanted.offset, rows, wanted.dim1, rank, name + ".row");
  TensorView* column = countsAlong(fusion, 0, sizesOf(tensor)[wanted.dim2], wanted.dim2, rank, name + ".column");
  Val* isDiagonal = build::binary(fusion, OpKind::Eq, row, column, name + ".diagonal");
  return build::where(fusion, isDiagonal, whole, tensor, name)->as<TensorView>();
}

}  // namespace fuser::text
