#include "fuser/analysis/axis_map.h"

#include <algorithm>
#include <numeric>

#include "fuser/ir/view_axes.h"

namespace fuser {
namespace {

bool contains(const std::vector<int64_t>& dims, size_t axis) {
  return std::find(dims.begin(), dims.end(), static_cast<int64_t>(axis)) != dims.end();
}

// Whether elements may change their coordinates.
bool isView(const Expr* expr) { return familyInfo(expr->family()).elements == Elements::Move; }

IntExprArena& intsOf(const Expr* expr) { return expr->fusion().ints(); }

SliceBounds boundsOf(const Expr* expr) {
  const std::vector<IterDomain*> axes = expr->input(0)->as<TensorView>()->axes();
  const Attributes& attributes = expr->attributes();
  return sliceBounds(intsOf(expr), axes.at(static_cast<size_t>(attributes.dim()))->size(), attributes);
}

// Of a select.
IntExpr placeOf(const Expr* expr) {
  const std::vector<IterDomain*> axes = expr->input(0)->as<TensorView>()->axes();
  const Attributes& attributes = expr->attributes();
  return selectedPlace(intsOf(expr), axes.at(static_cast<size_t>(attributes.dim()))->size(), attributes.index());
}

std::vector<ReshapeGroup> groupsOf(const Expr* expr) {
  const std::vector<IntExpr> from = sizesOf(expr->input(0)->as<TensorView>());
  return reshapeGroups(intsOf(expr), from, reshapedSizes(intsOf(expr), from, expr->attributes().shape()));
}

// The axis map of a view whose result has the operand's axes after any that it adds. An axis maps to itself if
// keeps(axis of the operand) says that coordinates stay along it.
template <class Keeps>
std::vector<int> keptAxes(const Expr* expr, const TensorView* producer, Keeps keeps) {
  const size_t rank = expr->output()->as<TensorView>()->rank();
  const size_t added = rank - producer->rank();
  std::vector<int> map(rank, -1);
  for (size_t i = 0; i < producer->rank(); ++i) {
    if (keeps(i)) map[added + i] = static_cast<int>(i);
  }
  return map;
}

std::vector<int> axesOfSlice(const Expr* expr, const TensorView* producer) {
  const auto dim = static_cast<size_t>(expr->attributes().dim());
  const SliceBounds bounds = boundsOf(expr);
  const bool whole = bounds.size == producer->axes().at(dim)->size() && bounds.start->isConstant(0) &&
                     expr->attributes().step()->isConstant(1);
  return keptAxes(expr, producer, [&](size_t axis) { return axis != dim || whole; });
}

std::vector<int> axesOfPad(const Expr* expr, const TensorView* producer) {
  return keptAxes(expr, producer, [&](size_t axis) {
    const Padding padding = paddingOf(intsOf(expr), expr->attributes().pad(), axis, producer->rank());
    return padding.low->isConstant(0) && padding.high->isConstant(0);
  });
}

std::vector<int> axesOfCat(const Expr* expr, const TensorView* producer) {
  return keptAxes(expr, producer, [&](size_t axis) { return static_cast<int64_t>(axis) != expr->attributes().dim(); });
}

// What it is written to stays where it is; what is written moves along `dim`.
std::vector<int> axesOfSliceScatter(const Expr* expr, const TensorView* producer) {
  const bool moves = expr->input(1) == producer;
  return keptAxes(expr, producer,
                  [&](size_t axis) { return !moves || static_cast<int64_t>(axis) != expr->attributes().dim(); });
}

// The indices stay where they are. Of the tensor, the axes along which there is an index for each of its places do.
std::vector<int> axesOfGather(const Expr* expr, const TensorView* producer) {
  const std::vector<IntExpr> asked = sizesOf(expr->output()->as<TensorView>()), sizes = sizesOf(producer);
  const bool moves = expr->input(0) == producer;
  return keptAxes(expr, producer, [&](size_t axis) {
    return !moves || (static_cast<int64_t>(axis) != expr->attributes().dim() && asked[axis] == sizes[axis]);
  });
}

// What it is scattered into stays where it is. Of indices and elements, the axes along which there is one for each
// place of the result do.
std::vector<int> axesOfScatter(const Expr* expr, const TensorView* producer) {
  const std::vector<IntExpr> whole = sizesOf(expr->output()->as<TensorView>()), sizes = sizesOf(producer);
  const bool moves = !readsInPlace(expr, producer);
  return keptAxes(expr, producer, [&](size_t axis) {
    return !moves || (static_cast<int64_t>(axis) != expr->attributes().dim() && whole[axis] == sizes[axis]);
  });
}

std::vector<int> axesOfReshape(const Expr* expr) {
  std::vector<int> map(expr->output()->as<TensorView>()->rank(), -1);
  for (const ReshapeGroup& group : groupsOf(expr)) {
    if (group.isSame) map[group.to] = static_cast<int>(group.from);
  }
  return map;
}

std::vector<int> axesOfRepeat(const Expr* expr, const TensorView* producer) {
  const std::vector<IterDomain*> axes = producer->axes();
  const std::vector<IntExpr>& repeats = expr->attributes().repeats();
  const size_t added = repeats.size() - axes.size();
  return keptAxes(expr, producer,
                  [&](size_t axis) { return axes[axis]->isBroadcast() || repeats[added + axis]->isConstant(1); });
}

std::vector<int> axesOfFlip(const Expr* expr, const TensorView* producer) {
  const std::vector<IterDomain*> axes = producer->axes();
  return keptAxes(expr, producer, [&](size_t axis) {
    return axes[axis]->isBroadcast() || !contains(expr->attributes().dims(), axis);
  });
}

// Some neighbouring axes of a tensor, of these sizes.
struct AxisGroup {
  const std::vector<IntExpr>& sizes;
  size_t first, end;
};

// The row-major position along one group of axes, as coordinates along another one of as many elements.
void regroup(IntExprArena& ints, const AxisGroup& from, std::span<const IntExpr> coordinates, const AxisGroup& to,
             std::vector<IntExpr>& result) {
  IntExpr position = ints.constant(0);
  for (size_t i = from.first; i < from.end; ++i) {
    position = ints.add(ints.mul(position, from.sizes[i]), coordinates[i]);
  }
  for (size_t i = to.end; i-- > to.first;) {
    result[i] = i > to.first ? ints.mod(position, to.sizes[i]) : position;
    position = ints.floorDiv(position, to.sizes[i]);
  }
}

std::vector<IntExpr> imported(std::vector<IntExpr> sizes, const std::function<IntExpr(IntExpr)>& import) {
  for (IntExpr& size : sizes) size = import(size);
  return sizes;
}

std::vector<IntExpr> resultSizes(const Expr* expr, const std::function<IntExpr(IntExpr)>& import) {
  return imported(sizesOf(expr->output()->as<TensorView>()), import);
}

// Coordinates and condition of an operand of a view, from the result's.
class ViewMap {
 public:
  ViewMap(const Expr* expr, size_t operand, std::span<const IntExpr> coordinates, IntExprArena& ints,
          const std::function<IntExpr(IntExpr)>& import)
      : expr_(expr), operand_(operand), coordinates_(coordinates), ints_(ints), import_(import),
        element_{{}, ints.constant(1)} {}

  OperandElement run() {
    switch (expr_->family()) {
      case Family::Slice: slice(); break;
      case Family::Pad: pad(); break;
      case Family::Cat: cat(); break;
      case Family::Reshape: reshape(); break;
      case Family::Repeat: repeat(); break;
      case Family::Flip: flip(); break;
      case Family::Select: select(); break;
      case Family::Unfold: unfold(); break;
      case Family::SliceScatter: sliceScatter(); break;
      case Family::Gather:
      case Family::Scatter: keepAll(); break;
      case Family::Unary:
      case Family::Binary:
      case Family::Ternary:
      case Family::Cast:
      case Family::Bitcast:
      case Family::LoadStore:
      case Family::Broadcast:
      case Family::Squeeze:
      case Family::Expand:
      case Family::Permute:
      case Family::Factory:
      case Family::Range:
      case Family::Eye:
      case Family::Size:
      case Family::Item:
      case Family::Branch:
      case Family::Update:
      case Family::Welford:
      case Family::Scan:
      case Family::ExtremeIndex:
      case Family::Reduction: FUSER_CHECK(false, opName(expr_->op()), " is not a view");
    }
    return std::move(element_);
  }

 private:
  const Attributes& attributes() const { return expr_->attributes(); }
  size_t dim() const { return static_cast<size_t>(attributes().dim()); }
  std::vector<IntExpr> sizes(size_t operand) const {
    return imported(sizesOf(expr_->input(operand)->as<TensorView>()), import_);
  }
  void keepAll() { element_.coordinates.assign(coordinates_.begin(), coordinates_.end()); }
  void require(IntExpr condition) { element_.condition = ints_.conjunction(element_.condition, condition); }
  IntExpr isAtLeast(IntExpr a, IntExpr b) { return ints_.less(ints_.sub(b, ints_.constant(1)), a); }

  void slice() {
    keepAll();
    IntExpr& coordinate = element_.coordinates[dim()];
    const SliceBounds bounds = boundsOf(expr_);
    coordinate = ints_.add(import_(bounds.start), ints_.mul(coordinate, import_(bounds.step)));
  }

  // The tensor where the coordinates lie inside of it; the value elsewhere.
  void pad() {
    const std::vector<IntExpr> inner = sizes(0);
    keepAll();
    for (size_t axis = 0; axis < inner.size(); ++axis) {
      const Padding padding = paddingOf(intsOf(expr_), attributes().pad(), axis, inner.size());
      const IntExpr low = import_(padding.low);
      IntExpr& coordinate = element_.coordinates[axis];
      if (padding.low->range.high > 0) require(isAtLeast(coordinate, low));
      coordinate = ints_.sub(coordinate, low);
      if (padding.high->range.high > 0) require(ints_.less(coordinate, inner[axis]));
    }
    if (operand_ == 0) return;
    element_.coordinates.clear();
    element_.condition = ints_.equal(element_.condition, ints_.constant(0));
  }

  void cat() {
    keepAll();
    IntExpr first = ints_.constant(0);
    for (size_t i = 0; i < operand_; ++i) first = ints_.add(first, sizes(i)[dim()]);
    IntExpr& coordinate = element_.coordinates[dim()];
    if (operand_ > 0) require(isAtLeast(coordinate, first));
    coordinate = ints_.sub(coordinate, first);
    if (operand_ + 1 < expr_->inputs().size()) require(ints_.less(coordinate, sizes(operand_)[dim()]));
  }

  void reshape() {
    const std::vector<IntExpr> from = sizes(0), to = resultSizes(expr_, import_);
    element_.coordinates.assign(from.size(), ints_.constant(0));
    for (const ReshapeGroup& group : groupsOf(expr_)) {
      regroup(ints_, {to, group.to, group.toEnd}, coordinates_, {from, group.from, group.fromEnd},
              element_.coordinates);
    }
  }

  void repeat() {
    const std::vector<IntExpr> inner = sizes(0);
    const size_t added = coordinates_.size() - inner.size();
    for (size_t i = 0; i < inner.size(); ++i) {
      const bool once = attributes().repeats()[added + i]->isConstant(1);
      element_.coordinates.push_back(once ? coordinates_[added + i] : ints_.mod(coordinates_[added + i], inner[i]));
    }
  }

  // From the last element to the first.
  void flip() {
    const std::vector<IntExpr> inner = sizes(0);
    keepAll();
    for (int64_t dim : attributes().dims()) {
      const auto axis = static_cast<size_t>(dim);
      if (expr_->input(0)->as<TensorView>()->axes()[axis]->isBroadcast()) continue;
      IntExpr& coordinate = element_.coordinates[axis];
      coordinate = ints_.sub(ints_.sub(inner[axis], ints_.constant(1)), coordinate);
    }
  }

  void select() {
    keepAll();
    const IntExpr place = import_(placeOf(expr_));
    element_.coordinates.insert(element_.coordinates.begin() + attributes().dim(), place);
  }

  // The last coordinate is the place in a window.
  void unfold() {
    keepAll();
    IntExpr& coordinate = element_.coordinates[dim()];
    coordinate = ints_.add(ints_.mul(coordinate, import_(attributes().spacing())), coordinates_.back());
    element_.coordinates.pop_back();
  }

  // The second operand at the places of the slice, the first one elsewhere.
  void sliceScatter() {
    const SliceBounds bounds = boundsOf(expr_);
    const IntExpr start = import_(bounds.start), step = import_(bounds.step);
    keepAll();
    IntExpr& coordinate = element_.coordinates[dim()];
    const IntExpr distance = ints_.sub(coordinate, start);
    require(isAtLeast(coordinate, start));
    require(ints_.less(distance, ints_.mul(import_(bounds.size), step)));
    require(ints_.equal(ints_.mod(distance, step), ints_.constant(0)));
    if (operand_ == 1) {
      coordinate = ints_.floorDiv(distance, step);
    } else {
      element_.condition = ints_.equal(element_.condition, ints_.constant(0));
    }
  }

  const Expr* expr_;
  size_t operand_;
  std::span<const IntExpr> coordinates_;
  IntExprArena& ints_;
  const std::function<IntExpr(IntExpr)>& import_;
  OperandElement element_;
};

}  // namespace

std::vector<IntExpr> reshapedCoordinates(const Expr* expr, std::span<const IntExpr> coordinates, IntExprArena& ints,
                                         const std::function<IntExpr(IntExpr)>& import) {
  const std::vector<IntExpr> from = imported(sizesOf(expr->input(0)->as<TensorView>()), import);
  const std::vector<IntExpr> to = resultSizes(expr, import);
  std::vector<IntExpr> result(to.size(), ints.constant(0));
  for (const ReshapeGroup& group : groupsOf(expr)) {
    regroup(ints, {from, group.from, group.fromEnd}, coordinates, {to, group.to, group.toEnd}, result);
  }
  return result;
}

std::vector<int> producerAxes(const Expr* expr, const TensorView* producer) {
  const size_t rank = expr->output()->as<TensorView>()->domain().logical.size();
  const std::vector<int64_t>& dims = expr->attributes().allAxes();
  std::vector<int> map(rank);
  std::iota(map.begin(), map.end(), 0);
  switch (expr->family()) {
    case Family::Unary:
    case Family::Binary:
    case Family::Ternary:
    case Family::Cast:
    case Family::Bitcast:
    case Family::LoadStore:
    case Family::Expand:
    case Family::Branch:
    case Family::Update:
    case Family::Reduction:
    case Family::ExtremeIndex:
    case Family::Scan:
    case Family::Welford: return map;
    case Family::Permute: return {dims.begin(), dims.end()};
    case Family::Broadcast: {
      int next = 0;
      for (size_t axis = 0; axis < rank; ++axis) map[axis] = contains(dims, axis) ? -1 : next++;
      return map;
    }
    case Family::Squeeze: {
      map.clear();
      for (size_t axis = 0; axis < producer->rank(); ++axis) {
        if (!contains(dims, axis)) map.push_back(static_cast<int>(axis));
      }
      return map;
    }
    case Family::Slice: return axesOfSlice(expr, producer);
    case Family::Pad: return axesOfPad(expr, producer);
    case Family::Cat: return axesOfCat(expr, producer);
    case Family::Reshape: return axesOfReshape(expr);
    case Family::Repeat: return axesOfRepeat(expr, producer);
    case Family::Flip: return axesOfFlip(expr, producer);
    case Family::Unfold: map[static_cast<size_t>(dims[0])] = map.back() = -1; return map;
    case Family::Select:
      for (size_t axis = static_cast<size_t>(dims[0]); axis < rank; ++axis) ++map[axis];
      return map;
    case Family::SliceScatter: return axesOfSliceScatter(expr, producer);
    case Family::Gather: return axesOfGather(expr, producer);
    case Family::Scatter: return axesOfScatter(expr, producer);
    case Family::Factory:
    case Family::Range:
    case Family::Eye:
    case Family::Size:
    case Family::Item: break;
  }
  FUSER_CHECK(false, opName(expr->op()), " reads no tensor's elements");
}

std::vector<int> axesBeside(const Expr* expr, const TensorView* producer) {
  std::vector<int> map = producerAxes(expr, producer);
  const Family family = expr->family();
  const bool changesRank = family == Family::Reshape || family == Family::Select || family == Family::Unfold;
  if (!isView(expr) || changesRank) return map;
  const size_t added = map.size() - producer->rank();
  for (size_t i = added; i < map.size(); ++i) map[i] = static_cast<int>(i - added);
  return map;
}

bool readsInPlace(const Expr* expr, const TensorView* producer) {
  if (!isView(expr)) return true;
  if (expr->family() == Family::SliceScatter) return producer == expr->input(0) && producer != expr->input(1);
  if (choosesOperand(expr)) return false;
  if (takesIndices(expr)) {
    for (size_t i = 0; i < expr->inputs().size(); ++i) {
      if (expr->input(i) == producer && readsAnyAlong(expr, i)) return false;
    }
    return true;
  }
  const std::vector<int> map = producerAxes(expr, producer);
  const std::vector<IterDomain*> axes = producer->axes();
  for (size_t i = 0; i < axes.size(); ++i) {
    const bool mapped = std::find(map.begin(), map.end(), static_cast<int>(i)) != map.end();
    if (!mapped && !axes[i]->isBroadcast()) return false;
  }
  return true;
}

bool choosesOperand(const Expr* expr) {
  return expr->family() == Family::Pad || expr->family() == Family::Cat || expr->family() == Family::SliceScatter;
}

bool takesIndices(const Expr* expr) {
  const FamilyOperands operands = familyInfo(expr->family()).operands;
  return operands == FamilyOperands::Indexed || operands == FamilyOperands::Scattered;
}

bool readsAnyAlong(const Expr* expr, size_t operand) {
  switch (familyInfo(expr->family()).operands) {
    case FamilyOperands::Indexed: return operand == 0;
    case FamilyOperands::Scattered: return operand > 0;
    case FamilyOperands::None:
    case FamilyOperands::One:
    case FamilyOperands::Two:
    case FamilyOperands::Three:
    case FamilyOperands::Tensor:
    case FamilyOperands::Tensors:
    case FamilyOperands::Pair:
    case FamilyOperands::Into: return false;
  }
  FUSER_CHECK(false, "bad FamilyOperands");
}

OperandElement operandElement(const Expr* expr, size_t operand, std::span<const IntExpr> coordinates,
                              IntExprArena& ints, const std::function<IntExpr(IntExpr)>& import) {
  const std::vector<IterDomain*>& axes = expr->output()->as<TensorView>()->domain().logical;
  std::vector<IntExpr> places(coordinates.begin(), coordinates.end());
  for (size_t i = 0; i < axes.size(); ++i) {
    // A single element: its coordinate is 0 in every iteration.
    const bool isIndex = readsAnyAlong(expr, operand) && static_cast<int64_t>(i) == expr->attributes().dim();
    if (axes[i]->isBroadcast() && !isIndex) places[i] = ints.constant(0);
  }
  if (isView(expr)) {
    return ViewMap(expr, operand, places, ints, import).run();
  }
  OperandElement element{{}, ints.constant(1)};
  if (expr->input(operand)->isScalar()) return element;
  const TensorView* producer = expr->input(operand)->as<TensorView>();
  const std::vector<int> map = producerAxes(expr, producer);
  element.coordinates.assign(producer->rank(), ints.constant(0));
  for (size_t i = 0; i < map.size(); ++i) {
    if (map[i] >= 0) element.coordinates[static_cast<size_t>(map[i])] = places[i];
  }
  return element;
}

}  // namespace fuser
