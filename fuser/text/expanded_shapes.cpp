// PyTorch's names that only give an element another place: made of permutes, reshapes, expands, slices and cats.

#include <algorithm>
#include <numeric>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"
#include "fuser/text/expansions.h"

namespace fuser::text {
namespace {

std::vector<int64_t> axesOf(const TensorView* tensor) {
  std::vector<int64_t> axes(tensor->rank());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

std::vector<size_t> axesOf(std::string_view op, const TensorView* tensor, const std::vector<int64_t>& written) {
  std::vector<size_t> axes;
  for (int64_t dim : written) {
    axes.push_back(axisOf(op, tensor, dim));
    FUSER_USER_CHECK(std::count(axes.begin(), axes.end(), axes.back()) == 1, op, ": axis ", axes.back(),
                     " is given twice");
  }
  return axes;
}

IntExpr product(IntExprArena& ints, const std::vector<IntExpr>& sizes, size_t begin, size_t end) {
  IntExpr number = ints.constant(1);
  for (size_t axis = begin; axis < end; ++axis) number = ints.mul(number, sizes[axis]);
  return number;
}

// `length` places from `start` on. A reshape to the sizes that it has to have fails, at run time, where there are
// fewer.
TensorView* part(Fusion& fusion, TensorView* tensor, size_t dim, IntExpr start, IntExpr length,
                 const std::string& name) {
  IntExprArena& ints = fusion.ints();
  std::vector<IntExpr> shape = sizesOf(tensor);
  const IntExpr size = shape[dim], end = ints.add(start, length);
  shape[dim] = length;
  const bool isKnown = size->isConstant() && end->isConstant();
  FUSER_USER_CHECK(!isKnown || end->value <= size->value, "narrow: ", end->value - length->value, " + ", length->value,
                   " is above the size ", size->value, " of axis ", dim, " of ", typeText(tensor));
  TensorView* slice = build::slice(fusion, tensor, static_cast<int64_t>(dim), start, end, ints.constant(1),
                                   isKnown ? name : name + ".slice");
  return isKnown ? slice : build::reshape(fusion, slice, shape, name);
}

// Refuses a run in which this number is another one: an op that nothing reads, whose sizes are checked.
void checkCount(Fusion& fusion, IntExpr number, size_t count, const std::string& name) {
  IntExprArena& ints = fusion.ints();
  Val* zero = fusion.newConstant(ScalarValue(int64_t{0}));
  TensorView* parts = build::full(fusion, {number}, zero, DataType::Int64, name + ".parts");
  build::reshape(fusion, parts, {ints.constant(static_cast<int64_t>(count))}, name + ".results");
}

// Parts of `step` places each along an axis; the last one is shorter where the size is no multiple. `ofNone`: how many
// there are of an axis without places.
std::vector<TensorView*> parts(std::string_view op, Fusion& fusion, TensorView* tensor, size_t dim, IntExpr step,
                               int64_t ofNone, const std::vector<std::string>& names) {
  IntExprArena& ints = fusion.ints();
  const IntExpr size = sizesOf(tensor)[dim], one = ints.constant(1);
  const IntExpr isNone = ints.sub(one, ints.min(size, one));
  const IntExpr count = ints.add(ints.ceilDiv(size, ints.max(step, one)), ints.mul(isNone, ints.constant(ofNone)));
  FUSER_USER_CHECK(!count->isConstant() || count->isConstant(static_cast<int64_t>(names.size())), op, " of axis ", dim,
                   " of ", typeText(tensor), " has ", count->value, count->isConstant(1) ? " result" : " results",
                   ", not ", names.size());
  if (!count->isConstant()) checkCount(fusion, count, names.size(), names[0]);
  std::vector<TensorView*> results;
  for (size_t i = 0; i < names.size(); ++i) {
    const IntExpr start = ints.mul(ints.constant(static_cast<int64_t>(i)), step);
    results.push_back(
        build::slice(fusion, tensor, static_cast<int64_t>(dim), start, ints.add(start, step), one, names[i]));
  }
  return results;
}

}  // namespace

// torch.transpose: two axes change places.
TensorView* transposed(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                       const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  const size_t first = axisOf("transpose", tensor, attributes.axis(AttributeName::dim0));
  const size_t second = axisOf("transpose", tensor, attributes.axis(AttributeName::dim1));
  std::vector<int64_t> dims = axesOf(tensor);
  std::swap(dims[first], dims[second]);
  return build::permute(fusion, tensor, dims, name);
}

// torch.t: of a matrix; what has fewer axes stays.
TensorView* matrixTransposed(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&,
                             const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  FUSER_USER_CHECK(tensor->rank() <= 2, "t of ", typeText(tensor), ": more than 2 axes");
  std::vector<int64_t> dims = axesOf(tensor);
  std::reverse(dims.begin(), dims.end());
  return build::permute(fusion, tensor, dims, name);
}

// torch.movedim: the axes `source` become the axes `destination`; the others keep their order.
TensorView* moved(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                  const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  const std::vector<size_t> from = axesOf("movedim", tensor, attributes.axes(AttributeName::source));
  const std::vector<size_t> to = axesOf("movedim", tensor, attributes.axes(AttributeName::destination));
  FUSER_USER_CHECK(from.size() == to.size(), "movedim: ", from.size(), " axes to ", to.size(), " places");
  std::vector<int64_t> dims(tensor->rank(), -1);
  for (size_t i = 0; i < from.size(); ++i) dims[to[i]] = static_cast<int64_t>(from[i]);
  size_t next = 0;
  for (int64_t& dim : dims) {
    if (dim >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    dim = static_cast<int64_t>(next++);
  }
  return build::permute(fusion, tensor, dims, name);
}

// torch.flatten: the axes from start_dim to end_dim become one; of no axes there is one element.
TensorView* flattened(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  if (tensor->rank() == 0) return build::reshape(fusion, tensor, {fusion.ints().constant(1)}, name);
  const size_t first = axisOf("flatten", tensor, attributes.axisOr(AttributeName::start_dim, 0));
  const size_t last = axisOf("flatten", tensor, attributes.axisOr(AttributeName::end_dim, -1));
  FUSER_USER_CHECK(first <= last, "flatten: start_dim ", first, " is behind end_dim ", last);
  const std::vector<IntExpr> sizes = sizesOf(tensor);
  std::vector<IntExpr> shape(sizes.begin(), sizes.begin() + static_cast<ptrdiff_t>(first));
  shape.push_back(product(fusion.ints(), sizes, first, last + 1));
  shape.insert(shape.end(), sizes.begin() + static_cast<ptrdiff_t>(last) + 1, sizes.end());
  return build::reshape(fusion, tensor, shape, name);
}

// torch.unflatten: one axis becomes several of these sizes, of which one may be -1.
TensorView* unflattened(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                        const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  const size_t dim = axisOf("unflatten", tensor, attributes.axis(AttributeName::dim));
  const std::vector<IntExpr> sizes = sizesOf(tensor), &inner = attributes.integers(AttributeName::sizes);
  FUSER_USER_CHECK(!inner.empty(), "unflatten: no sizes are given");
  std::vector<IntExpr> shape(sizes.begin(), sizes.begin() + static_cast<ptrdiff_t>(dim));
  shape.insert(shape.end(), inner.begin(), inner.end());
  shape.insert(shape.end(), sizes.begin() + static_cast<ptrdiff_t>(dim) + 1, sizes.end());
  return build::reshape(fusion, tensor, shape, name);
}

// torch.Tensor.view, of a shape.
TensorView* viewedShape(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                        const std::string& name) {
  return build::reshape(fusion, tensorAt(operands, 0), attributes.integers(AttributeName::shape), name);
}

TensorView* viewedLike(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&,
                       const std::string& name) {
  return build::reshape(fusion, tensorAt(operands, 0), sizesOf(tensorAt(operands, 1)), name);
}

TensorView* expandedLike(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&,
                         const std::string& name) {
  return build::expand(fusion, tensorAt(operands, 0), sizesOf(tensorAt(operands, 1)), name);
}

// torch.narrow: `length` places from `start` on, which counts from the end where it is negative.
TensorView* narrowed(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                     const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  const size_t dim = axisOf("narrow", tensor, attributes.axis(AttributeName::dim));
  IntExpr start = attributes.bound(AttributeName::start);
  const IntExpr size = sizesOf(tensor)[dim], length = attributes.bound(AttributeName::length);
  if (start->isConstant() && start->value < 0) start = fusion.ints().add(size, start);
  FUSER_USER_CHECK(!start->isConstant() || start->value >= 0, "narrow: the start is before axis ", dim, " of ",
                   typeText(tensor));
  return part(fusion, tensor, dim, start, length, name);
}

// torch.stack: along a new axis.
TensorView* stacked(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                    const std::string& name) {
  const auto rank = static_cast<int64_t>(tensorAt(operands, 0)->rank()) + 1;
  const int64_t written = attributes.axisOr(AttributeName::dim, 0), dim = written < 0 ? written + rank : written;
  FUSER_USER_CHECK(0 <= dim && dim < rank, "stack: dim ", written, " of a result with ", rank, " axes");
  std::vector<Val*> rows;
  for (Val* operand : operands) {
    rows.push_back(build::unsqueeze(fusion, operand->as<TensorView>(), {dim}, concat(name, ".row", rows.size())));
  }
  return build::cat(fusion, rows, dim, name);
}

// torch.split: parts of so many places, or of the sizes in the list.
std::vector<TensorView*> split(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                               const std::vector<std::string>& names) {
  TensorView* tensor = tensorAt(operands, 0);
  const size_t dim = axisOf("split", tensor, attributes.axisOr(AttributeName::dim, 0));
  const std::vector<IntExpr>& sizes = attributes.integers(AttributeName::split_size);
  if (attributes.flagOr(AttributeName::split_size, false)) {
    FUSER_USER_CHECK(!sizes[0]->isConstant() || sizes[0]->value >= 1, "split: parts of ", sizes[0]->value, " places");
    return parts("split", fusion, tensor, dim, sizes[0], 1, names);
  }
  FUSER_USER_CHECK(sizes.size() == names.size(), "split: ", sizes.size(), " sizes for ", names.size(), " results");
  IntExprArena& ints = fusion.ints();
  std::vector<IntExpr> shape = sizesOf(tensor);
  IntExpr sum = ints.constant(0);
  for (IntExpr size : sizes) sum = ints.add(sum, size);
  FUSER_USER_CHECK(!sum->isConstant() || !shape[dim]->isConstant() || sum->value == shape[dim]->value,
                   "split: the sizes add up to ", sum->value, ", and axis ", dim, " of ", typeText(tensor), " has ",
                   shape[dim]->value);
  shape[dim] = sum;
  // A reshape to what the sizes add up to fails where the axis is longer or shorter.
  if (sizesOf(tensor) != shape) tensor = build::reshape(fusion, tensor, shape, names[0] + ".whole");
  std::vector<TensorView*> results;
  IntExpr start = ints.constant(0);
  for (size_t i = 0; i < names.size(); ++i) {
    const IntExpr end = ints.add(start, sizes[i]);
    results.push_back(build::slice(fusion, tensor, static_cast<int64_t>(dim), start, end, ints.constant(1), names[i]));
    start = end;
  }
  return results;
}

// torch.chunk: at most so many parts, of one size but the last.
std::vector<TensorView*> chunked(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                                 const std::vector<std::string>& names) {
  TensorView* tensor = tensorAt(operands, 0);
  const size_t dim = axisOf("chunk", tensor, attributes.axisOr(AttributeName::dim, 0));
  const int64_t chunks = attributes.number(AttributeName::chunks);
  FUSER_USER_CHECK(chunks >= 1, "chunk: ", chunks, " chunks");
  IntExprArena& ints = fusion.ints();
  // PyTorch gives as many as are asked for, all empty, of an axis without places.
  const IntExpr step = ints.ceilDiv(sizesOf(tensor)[dim], ints.constant(chunks));
  return parts("chunk", fusion, tensor, dim, step, chunks, names);
}

}  // namespace fuser::text
