// as_strided, as_strided_scatter: elements of row-major memory at places that are counted.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/updates.h"
#include "fuser/ir/view_axes.h"
#include "fuser/text/expansions.h"

namespace fuser::text {
namespace {

Val* literal(Fusion& fusion, int64_t value) { return fusion.newConstant(ScalarValue(value)); }

// Elements of row-major memory: at offset + sum(index * stride).
struct Strided {
  std::vector<IntExpr> size;
  std::vector<int64_t> stride;
  int64_t offset;
};

// Where sizes are numbers, the last place is one of the memory.
void checkInside(std::string_view op, const TensorView* tensor, const Strided& wanted) {
  int64_t last = wanted.offset, elements = 1;
  for (size_t axis = 0; axis < wanted.size.size(); ++axis) {
    if (!wanted.size[axis]->isConstant() || wanted.size[axis]->value == 0) return;
    last += (wanted.size[axis]->value - 1) * wanted.stride[axis];
  }
  for (IntExpr own : sizesOf(tensor)) {
    if (!own->isConstant()) return;
    elements *= own->value;
  }
  FUSER_USER_CHECK(last < elements, op, " of %", tensor->name(), ": it shows element ", last, " of ", elements);
}

Strided stridedOf(std::string_view op, const TensorView* tensor, const NamedAttributes& attributes) {
  const TensorDomain& domain = tensor->domain();
  const bool isDense =
      storageOf(tensor) == tensor && std::is_sorted(domain.allocationOrder.begin(), domain.allocationOrder.end()) &&
      std::none_of(domain.contiguity.begin(), domain.contiguity.end(), [](auto flag) { return flag == false; }) &&
      std::none_of(domain.logical.begin(), domain.logical.end(),
                   [](const IterDomain* axis) { return axis->isExpanded(); });
  FUSER_USER_CHECK(isDense, op, " of %", tensor->name(),
                   ": it takes dense row-major memory that is no view; `set` makes a copy of that kind");
  Strided wanted;
  wanted.size = attributes.integers(AttributeName::size);
  const std::vector<IntExpr>& stride = attributes.integers(AttributeName::stride);
  FUSER_USER_CHECK(wanted.size.size() == stride.size(), op, ": ", wanted.size.size(), " sizes and ", stride.size(),
                   " strides");
  for (IntExpr each : stride) {
    FUSER_USER_CHECK(each->isConstant() && each->value >= 0, op, ": strides are numbers, 0 or above");
    wanted.stride.push_back(each->value);
  }
  const bool hasOffset = attributes.has(AttributeName::storage_offset);
  const IntExpr offset = hasOffset ? attributes.bound(AttributeName::storage_offset) : nullptr;
  FUSER_USER_CHECK(!offset || (offset->isConstant() && offset->value >= 0), op, ": the offset is a number, 0 or above");
  wanted.offset = offset ? offset->value : 0;
  checkInside(op, tensor, wanted);
  return wanted;
}

// The axes from the largest stride on, without those of one element. A UserError where elements may share a place:
// where the faster axes of one span a stride or more, or are not known to span less.
std::vector<size_t> axesByStride(std::string_view op, const TensorView* tensor, const Strided& wanted) {
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < wanted.size.size(); ++axis) {
    if (!wanted.size[axis]->isConstant(1)) axes.push_back(axis);
  }
  std::stable_sort(axes.begin(), axes.end(), [&](size_t a, size_t b) { return wanted.stride[a] > wanted.stride[b]; });
  int64_t last = 0;  // the place of the last element along the faster axes
  bool isKnown = true;
  for (size_t i = axes.size(); i-- > 0;) {
    const int64_t stride = wanted.stride[axes[i]];
    FUSER_USER_CHECK(isKnown && stride > last, op, ": elements along axis ", axes[i], " of what it shows of %",
                     tensor->name(), isKnown ? " share memory" : " may share memory",
                     ": no update writes to places that are not known to differ");
    isKnown = wanted.size[axes[i]]->isConstant();
    if (isKnown) last += (wanted.size[axes[i]]->value - 1) * stride;
  }
  return axes;
}

// Refuses a run in which the last place is none of the memory: an op that nothing reads, whose sizes are checked.
void checkInsideInRun(Fusion& fusion, TensorView* memory, const Strided& wanted, const std::string& name) {
  IntExprArena& ints = fusion.ints();
  IntExpr places = ints.constant(wanted.offset + 1);  // up to the last one; 0 where nothing is shown
  for (size_t axis = 0; axis < wanted.size.size(); ++axis) {
    const IntExpr steps = ints.sub(wanted.size[axis], ints.constant(1));
    places = ints.add(places, ints.mul(steps, ints.constant(wanted.stride[axis])));
  }
  for (IntExpr size : wanted.size) places = ints.mul(places, ints.min(size, ints.constant(1)));
  Val* zero = fusion.newConstant(ScalarValue(0.0));
  TensorView* longer = build::pad(fusion, memory, {ints.constant(1), ints.constant(0)}, zero, name + ".longer");
  build::structuralTensor(fusion, OpKind::Select, {longer}, Attributes().dim(0).index(places), name + ".last");
}

}  // namespace

// torch.as_strided.
TensorView* asStrided(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  IntExprArena& ints = fusion.ints();
  const Strided wanted = stridedOf("as_strided", tensor, attributes);
  const size_t rank = wanted.size.size();
  TensorView* places = build::full(fusion, std::vector<IntExpr>(rank, ints.constant(1)), literal(fusion, wanted.offset),
                                   DataType::Int64, name + ".offset");
  for (size_t axis = 0; axis < rank; ++axis) {
    if (wanted.stride[axis] == 0 || wanted.size[axis]->isConstant(1)) continue;
    TensorView* counts = countsAlong(fusion, 0, wanted.size[axis], axis, rank, concat(name, ".index", axis));
    Val* steps =
        build::binary(fusion, OpKind::Mul, counts, literal(fusion, wanted.stride[axis]), concat(name, ".steps", axis));
    places = build::binary(fusion, OpKind::Add, places, steps, concat(name, ".place", axis))->as<TensorView>();
  }
  if (rank > 0) places = build::expand(fusion, places, wanted.size, name + ".places");
  TensorView* row = build::reshape(fusion, places, {ints.constant(-1)}, name + ".line");
  TensorView* memory = build::reshape(fusion, tensor, {ints.constant(-1)}, name + ".memory");
  TensorView* elements =
      build::structuralTensor(fusion, OpKind::Gather, {memory, row}, Attributes().dim(0), name + ".elements");
  return build::reshape(fusion, elements, wanted.size, name);
}

// torch.as_strided_scatter: memory with the elements of the second tensor at the places that as_strided shows. Each
// place counts the index that is shown there, along one axis after another, from the largest stride on.
TensorView* asStridedScatter(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                             const std::string& name) {
  constexpr std::string_view kOp = "as_strided_scatter";
  auto* tensor = operands[0]->as<TensorView>();
  auto* written = operands[1]->as<TensorView>();
  IntExprArena& ints = fusion.ints();
  const Strided wanted = stridedOf(kOp, tensor, attributes);
  const std::vector<size_t> axes = axesByStride(kOp, tensor, wanted);
  written = ofSizes(kOp, fusion, tensor->dtype(), written, wanted.size, name);
  const std::vector<IntExpr> sizes = sizesOf(tensor);
  TensorView* memory = build::reshape(fusion, tensor, {ints.constant(-1)}, name + ".memory");
  checkInsideInRun(fusion, memory, wanted, name);

  std::vector<int64_t> order(axes.begin(), axes.end());  // of the elements in a row
  for (size_t axis = 0; axis < wanted.size.size(); ++axis) {
    if (wanted.size[axis]->isConstant(1)) order.push_back(static_cast<int64_t>(axis));
  }
  if (!std::is_sorted(order.begin(), order.end())) written = build::permute(fusion, written, order, name + ".ordered");
  TensorView* row = build::reshape(fusion, written, {ints.constant(-1)}, name + ".row");

  const auto op = [&](OpKind kind, Val* a, Val* b, const std::string& ending) {
    return build::binary(fusion, kind, a, b, name + ending);
  };
  Val* left = countsAlong(fusion, -wanted.offset, sizesOf(memory)[0], 0, 1, name + ".left");
  Val* isShown = op(OpKind::Ge, left, literal(fusion, 0), ".shown");
  Val* place = nullptr;  // in the row
  for (size_t axis : axes) {
    const std::string number = std::to_string(axis);
    const auto inOrder = std::find(order.begin(), order.end(), static_cast<int64_t>(axis)) - order.begin();
    Val* stride = literal(fusion, wanted.stride[axis]);
    Val* index = op(OpKind::FloorDiv, left, stride, ".index" + number);
    Val* size = sizeAsScalar(fusion, written, static_cast<size_t>(inOrder), name + ".size" + number);
    isShown = op(OpKind::LogicalAnd, isShown, op(OpKind::Lt, index, size, ".inside" + number), ".shown" + number);
    place = place ? op(OpKind::Add, op(OpKind::Mul, place, size, ".row" + number), index, ".place" + number) : index;
    left = op(OpKind::Remainder, left, stride, ".left" + number);
  }
  isShown = op(OpKind::LogicalAnd, isShown, op(OpKind::Eq, left, literal(fusion, 0), ".whole"), ".at");
  if (!place) place = literal(fusion, 0);
  TensorView* at = build::where(fusion, isShown, place, literal(fusion, 0), name + ".from")->as<TensorView>();
  // Where nothing is shown there is an element to read all the same.
  TensorView* longer = build::pad(fusion, row, {ints.constant(0), ints.constant(1)},
                                  fusion.newConstant(ScalarValue(0.0)), name + ".longer.row");
  TensorView* elements =
      build::structuralTensor(fusion, OpKind::Gather, {longer, at}, Attributes().dim(0), name + ".elements");
  TensorView* line = build::where(fusion, isShown, elements, memory, name + ".line")->as<TensorView>();
  return build::reshape(fusion, line, sizes, name);
}

}  // namespace fuser::text
