#include "fuser/ir/view_axes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fuser/types/simplify_extremes.h"
#include "fuser/types/term_count.h"

namespace fuser {
namespace {

// A size up to so long stays as its op makes it: its text is that of the ops, and the cases of a seed stay what they
// are.
constexpr size_t kPlainTerms = 192;
constexpr size_t kPlainDepth = 24;

IntExpr plain(IntExprArena& ints, IntExpr size) {
  return hasAtMostTerms(size, kPlainTerms, kPlainDepth) ? size : simplifyExtremes(ints, size);
}

bool isShort(IntExpr expr) { return hasAtMostTerms(expr, kMaxSizeTerms, kMaxSizeDepth); }

IntExpr multiplied(IntExprArena& ints, IntExpr a, IntExpr b) {
  FUSER_USER_CHECK(isShort(a) && isShort(b), "a size is a product of what has more than ", kMaxSizeTerms, " terms");
  FUSER_USER_CHECK(numberBound(a) * numberBound(b) <= kMaxSizeNumber, "a size is a product with numbers above 2^40");
  return ints.mul(a, b);
}

IntExpr product(IntExprArena& ints, const std::vector<IntExpr>& sizes, size_t first, size_t end) {
  IntExpr result = ints.constant(1);
  for (size_t i = first; i < end; ++i) result = multiplied(ints, result, sizes[i]);
  return result;
}

class ViewInference {
 public:
  ViewInference(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes)
      : ints_(fusion.ints()), op_(op), operands_(operands), attributes_(attributes) {}

  // `infer` is one of the functions below, which computes the axes.
  InferredType run(void (ViewInference::*infer)()) {
    axes_ = axesOf(operands_[0]);
    (this->*infer)();
    FUSER_USER_CHECK(axes_.size() <= kMaxRank, name(), " of ", text(), ": more than 8 axes");
    for (size_t axis = 0; axis < axes_.size(); ++axis) {
      const IntExpr size = sizeOf(axes_[axis]);
      FUSER_USER_CHECK(isShort(size), name(), " of %", operands_[0]->name(), ": the size of the result's axis ", axis,
                       " has more than ", kMaxSizeTerms, " terms (names, numbers and parentheses) or ", kMaxSizeDepth,
                       " levels");
      FUSER_USER_CHECK(numberBound(size) <= kMaxSizeNumber, name(), " of %", operands_[0]->name(),
                       ": the size of the result's axis ", axis, " has numbers above 2^40");
    }
    return {true, operands_[0]->dtype(), axes_};
  }

  void slice() {
    const size_t axis = dim();
    checkStep();
    const SliceBounds bounds = sliceBounds(ints_, sizeOf(axes_[axis]), attributes_);
    if (bounds.size == sizeOf(axes_[axis])) return;
    const bool one = axes_[axis].type == IterType::Broadcast && axes_[axis].expandedExtent;
    axes_[axis] = one ? repeated(bounds.size) : stored(bounds.size);
  }

  void pad() {
    const std::vector<IntExpr>& pads = attributes_.pad();
    FUSER_USER_CHECK(pads.size() % 2 == 0 && pads.size() / 2 <= axes_.size(), "pad of ", text(),
                     " takes two numbers for each of the last axes, not ", pads.size());
    for (size_t axis = 0; axis < axes_.size(); ++axis) {
      const Padding padding = paddingOf(ints_, pads, axis, axes_.size());
      if (padding.low->isConstant(0) && padding.high->isConstant(0)) continue;
      axes_[axis] = stored(plain(ints_, ints_.add(ints_.add(sizeOf(axes_[axis]), padding.low), padding.high)));
    }
  }

  // All axes but `dim` have equal sizes, as in pointwise ops, except that a broadcast axis only meets broadcast axes.
  void cat() {
    for (const Val* operand : operands_) {
      const std::vector<AxisType> axes = axesOf(operand);
      const bool isEmptyVector = axes.size() == 1 && sizeOf(axes[0])->isConstant(0);
      const bool isAlone = std::all_of(operands_.begin(), operands_.end(),
                                       [](const Val* each) { return each->as<TensorView>()->rank() == 1; });
      FUSER_USER_CHECK(!isEmptyVector || isAlone, "cat of ", typeText(operand),
                       " beside tensors of another rank: an empty vector is left out where all have one dtype");
    }
    FUSER_USER_CHECK(!axes_.empty(), "cat of ", text(), ": it has no axis");
    const size_t along = dim();
    IntExpr size = ints_.constant(0);
    for (const Val* operand : operands_) {
      FUSER_USER_CHECK(operand->dtype() == operands_[0]->dtype(), "cat of ", text(), " and ", typeText(operand),
                       ": insert a cast");
      const std::vector<AxisType> axes = axesOf(operand);
      FUSER_USER_CHECK(axes.size() == axes_.size(), "cat of ", text(), " and ", typeText(operand), ": ranks differ");
      for (size_t axis = 0; axis < axes.size(); ++axis) {
        if (axis != along) join(axes_[axis], axes[axis], axis, operand);
      }
      size = ints_.add(size, sizeOf(axes[along]));
    }
    if (operands_.size() > 1) axes_[along] = stored(plain(ints_, size));
  }

  void select() {
    const size_t along = dim();
    const IntExpr size = sizeOf(axes_[along]), index = attributes_.index();
    FUSER_USER_CHECK(
        !size->isConstant() || !index->isConstant() || (index->value >= -size->value && index->value < size->value),
        "select of ", text(), ": index ", index->value, " is out of range for axis ", along, " of size ", size->value);
    axes_.erase(axes_.begin() + static_cast<ptrdiff_t>(along));
  }

  // A window at each multiple of the spacing that has room for it; its places are a new last axis.
  void unfold() {
    const size_t along = dim();
    const IntExpr size = sizeOf(axes_[along]), window = attributes_.window(), spacing = attributes_.spacing();
    FUSER_USER_CHECK(spacing->range.high >= 1, "unfold of ", text(), ": the spacing is at least 1");
    FUSER_USER_CHECK(window->range.high >= 0, "unfold of ", text(), ": a negative window");
    FUSER_USER_CHECK(!size->isConstant() || !window->isConstant() || window->value <= size->value, "unfold of ", text(),
                     ": a window of ", window->value, " places along axis ", along, " of size ", size->value);
    FUSER_USER_CHECK(axes_.size() < kMaxRank, "unfold of ", text(), ": more than ", kMaxRank, " axes");
    const IntExpr one = ints_.constant(1), zero = ints_.constant(0);
    const IntExpr room = ints_.sub(size, window);
    const IntExpr rest = room->range.low >= 0 ? room : ints_.max(room, zero);
    const IntExpr step = spacing->range.low >= 1 ? spacing : ints_.max(spacing, one);
    axes_[along] = stored(plain(ints_, ints_.add(ints_.floorDiv(rest, step), one)));
    axes_.push_back(stored(window));
  }

  // The axes of the tensor that is written to; those of the other one are a slice's. What several elements of the
  // tensor share is stored for each of them.
  void sliceScatter() {
    checkStep();
    const size_t along = dim();
    const std::vector<AxisType> source = axesOf(operands_[1]);
    FUSER_USER_CHECK(operands_[1]->dtype() == operands_[0]->dtype(), name(), " of ", text(), " and ",
                     typeText(operands_[1]), ": insert a cast");
    FUSER_USER_CHECK(source.size() == axes_.size(), name(), " of ", text(), " and ", typeText(operands_[1]),
                     ": ranks differ");
    for (size_t axis = 0; axis < axes_.size(); ++axis) {
      const IntExpr whole = sizeOf(axes_[axis]), given = sizeOf(source[axis]);
      const IntExpr wanted = axis == along ? sliceBounds(ints_, whole, attributes_).size : whole;
      FUSER_USER_CHECK(!wanted->isConstant() || !given->isConstant() || wanted == given, name(), " of ", text(),
                       " and ", typeText(operands_[1]), ": axis ", axis, " differs");
      axes_[axis] = stored(whole);
    }
  }

  // The axes of the tensor. Along the others than `dim` there are at most as many indices as places of the tensor, and
  // along each at most as many as elements.
  void scatter() {
    const size_t along = dim();
    checkIndices();
    const Val* indices = operands_[1];
    const Val* source = operands_[2];
    const auto what = [&] { return concat(name(), " of ", typeText(source), " into ", text(), ": "); };
    FUSER_USER_CHECK(source->dtype() == operands_[0]->dtype(), what(), "insert a cast");
    FUSER_USER_CHECK(acceptsDtype(op_, operands_[0]->dtype()), what(), "it does not take bool, which has no sum");
    const std::vector<AxisType> asked = axesOf(indices), given = axesOf(source);
    FUSER_USER_CHECK(given.size() == axes_.size(), what(), "ranks differ");
    const bool isEmpty = hasNone(asked);
    for (size_t axis = 0; axis < axes_.size(); ++axis) {
      const IntExpr whole = sizeOf(axes_[axis]), number = sizeOf(asked[axis]), elements = sizeOf(given[axis]);
      FUSER_USER_CHECK(isEmpty || axis == along || !isMore(number, whole), what(), "axis ", axis,
                       " of the indices is longer");
      FUSER_USER_CHECK(isEmpty || !isMore(number, elements), what(), "axis ", axis, " has more indices than elements");
      axes_[axis] = stored(whole);
    }
  }

  // The axes of the indices. Where one index stands for several places along another axis than `dim`, the elements that
  // it reads are still those of each place.
  void gather() {
    const size_t along = dim();
    checkIndices();
    std::vector<AxisType> result = axesOf(operands_[1]);
    const bool isEmpty = hasNone(result);
    for (size_t axis = 0; axis < result.size(); ++axis) {
      if (axis == along) continue;
      const IntExpr whole = sizeOf(axes_[axis]), asked = sizeOf(result[axis]);
      FUSER_USER_CHECK(isEmpty || !isMore(asked, whole), name(), " of ", text(), " by ", typeText(operands_[1]),
                       ": axis ", axis, " of the indices is longer");
      if (axes_[axis].type != IterType::Broadcast) result[axis] = stored(asked);
    }
    axes_ = std::move(result);
  }

  void reshape() {
    std::vector<IntExpr> from;
    for (const AxisType& axis : axes_) from.push_back(sizeOf(axis));
    const auto open = std::count_if(attributes_.shape().begin(), attributes_.shape().end(),
                                    [](IntExpr size) { return size->isConstant(-1); });
    FUSER_USER_CHECK(open <= 1, "reshape of ", text(), ": -1 is given twice");
    const std::vector<IntExpr> to = reshapedSizes(ints_, from, attributes_.shape());
    const std::vector<AxisType> old = axes_;
    axes_.clear();
    for (IntExpr size : to) axes_.push_back(stored(size));
    for (const ReshapeGroup& group : reshapeGroups(ints_, from, to)) {
      if (group.isSame) axes_[group.to] = old[group.from];
    }
  }

  void repeat() {
    const std::vector<IntExpr>& repeats = attributes_.repeats();
    FUSER_USER_CHECK(repeats.size() >= axes_.size(), "repeat of ", text(), " takes a number for each axis, not ",
                     repeats.size());
    const size_t added = repeats.size() - axes_.size();
    std::vector<AxisType> result;
    for (size_t i = 0; i < repeats.size(); ++i) {
      if (i < added) {
        result.push_back(repeated(repeats[i]));
        continue;
      }
      const AxisType& axis = axes_[i - added];
      const IntExpr size = multiplied(ints_, sizeOf(axis), repeats[i]);
      if (repeats[i]->isConstant(1)) {
        result.push_back(axis);
      } else {
        result.push_back(axis.type == IterType::Broadcast ? repeated(size) : stored(size));
      }
    }
    axes_ = std::move(result);
  }

 private:
  std::string_view name() const { return opInfo(op_).mnemonic; }
  std::string text() const { return typeText(operands_[0]); }

  static std::vector<AxisType> axesOf(const Val* val) {
    std::vector<AxisType> axes;
    for (const IterDomain* axis : val->as<TensorView>()->axes()) {
      axes.push_back({axis->type(), axis->extent(), axis->expandedExtent()});
    }
    return axes;
  }

  void checkIndices() const {
    const Val* indices = operands_[1];
    FUSER_USER_CHECK(indices->dtype() == DataType::Int64 || indices->dtype() == DataType::Int32, name(), " of ", text(),
                     " by ", typeText(indices), ": indices are i64 or i32");
    FUSER_USER_CHECK(axesOf(indices).size() == axes_.size(), name(), " of ", text(), " by ", typeText(indices),
                     ": ranks differ");
  }

  // Whether a tensor of these axes certainly has no element.
  static bool hasNone(const std::vector<AxisType>& axes) {
    return std::any_of(axes.begin(), axes.end(), [](const AxisType& axis) { return sizeOf(axis)->isConstant(0); });
  }
  static bool isMore(IntExpr size, IntExpr than) {
    return size->isConstant() && than->isConstant() && size->value > than->value;
  }

  static IntExpr sizeOf(const AxisType& axis) { return axis.expandedExtent ? axis.expandedExtent : axis.extent; }
  // An axis whose elements are all in memory.
  AxisType stored(IntExpr size) const {
    return {size->isConstant(1) ? IterType::Broadcast : IterType::Iteration, size, nullptr};
  }
  // An axis with one element in memory, expanded to `size`.
  AxisType repeated(IntExpr size) {
    return {IterType::Broadcast, ints_.constant(1), size->isConstant(1) ? nullptr : size};
  }

  void checkStep() const {
    const IntExpr step = attributes_.step();
    FUSER_USER_CHECK(step->range.high >= 1, name(), " of ", text(), ": the step is at least 1");
  }

  size_t dim() const {
    const int64_t dim = attributes_.dim();
    FUSER_USER_CHECK(dim >= 0 && dim < static_cast<int64_t>(axes_.size()), name(), " of ", text(), ": axis ", dim,
                     " is out of range for rank ", axes_.size());
    return static_cast<size_t>(dim);
  }

  void join(AxisType& joined, const AxisType& axis, size_t place, const Val* operand) const {
    const IntExpr a = sizeOf(joined), b = sizeOf(axis);
    FUSER_USER_CHECK(a == b || (!a->isConstant() && !b->isConstant()) ||
                         (a->isConstant() != b->isConstant() && !a->isConstant(1) && !b->isConstant(1)),
                     "cat of ", text(), " and ", typeText(operand), ": axis ", place, " differs");
    if (axis.type == IterType::Iteration && joined.type == IterType::Broadcast) joined = axis;
  }

  IntExprArena& ints_;
  OpKind op_;
  std::span<Val* const> operands_;
  const Attributes& attributes_;
  std::vector<AxisType> axes_;
};

// 1 where the bound is negative, else 0.
IntExpr isNegative(IntExprArena& ints, IntExpr bound) {
  return ints.min(ints.max(ints.mul(bound, ints.constant(-1)), ints.constant(0)), ints.constant(1));
}

// Clamps a slice's bound to [0, size]. If its sign is unknown, (bound < 0) is expressed as min(max(-bound, 0), 1).
IntExpr clampedBound(IntExprArena& ints, IntExpr bound, IntExpr size) {
  const IntExpr zero = ints.constant(0);
  const auto fromStart = [&] { return ints.min(ints.max(bound, zero), size); };
  const auto fromEnd = [&] { return ints.max(ints.add(bound, size), zero); };
  if (bound == size) return size;
  if (bound->range.low >= 0) return fromStart();
  if (bound->range.high < 0) return fromEnd();
  return ints.add(fromStart(), ints.mul(isNegative(ints, bound), fromEnd()));
}

void collectFactors(IntExpr expr, std::vector<IntExpr>& constants, std::vector<IntExpr>& factors) {
  if (expr->isConstant()) {
    constants.push_back(expr);
  } else if (expr->op == IntOp::Mul) {
    collectFactors(expr->a, constants, factors);
    collectFactors(expr->b, constants, factors);
  } else {
    factors.push_back(expr);
  }
}

}  // namespace

InferredType inferSlice(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes) {
  return ViewInference(fusion, op, operands, attributes).run(&ViewInference::slice);
}
InferredType inferPad(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes) {
  return ViewInference(fusion, op, operands, attributes).run(&ViewInference::pad);
}
InferredType inferCat(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes) {
  return ViewInference(fusion, op, operands, attributes).run(&ViewInference::cat);
}
InferredType inferReshape(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes) {
  return ViewInference(fusion, op, operands, attributes).run(&ViewInference::reshape);
}
InferredType inferRepeat(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes) {
  return ViewInference(fusion, op, operands, attributes).run(&ViewInference::repeat);
}
InferredType inferSelect(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes) {
  return ViewInference(fusion, op, operands, attributes).run(&ViewInference::select);
}
InferredType inferUnfold(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes) {
  return ViewInference(fusion, op, operands, attributes).run(&ViewInference::unfold);
}
InferredType inferSliceScatter(Fusion& fusion, OpKind op, std::span<Val* const> operands,
                               const Attributes& attributes) {
  return ViewInference(fusion, op, operands, attributes).run(&ViewInference::sliceScatter);
}

InferredType inferGather(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes) {
  return ViewInference(fusion, op, operands, attributes).run(&ViewInference::gather);
}

InferredType inferScatter(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes) {
  return ViewInference(fusion, op, operands, attributes).run(&ViewInference::scatter);
}

void checkViewSizes(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes) {
  const InferredType type = infer(fusion, op, operands, attributes);
  const std::string_view name = opInfo(op).mnemonic;
  for (const FamilyAttribute& attribute : familyAttributes(opInfo(op).family)) {
    if (attribute.kind != AttributeKind::Extents && attribute.kind != AttributeKind::Counts) continue;
    for (IntExpr number : attributes.integers(attribute.name)) {
      const bool isOpen = attribute.open && number->isConstant(-1);
      FUSER_USER_CHECK(isOpen || number->range.high >= 0, name, " of ", typeText(operands[0]), ": negative size");
    }
  }
  std::vector<IntExpr> to;
  for (const AxisType& axis : type.axes) {
    to.push_back(axis.expandedExtent ? axis.expandedExtent : axis.extent);
    FUSER_USER_CHECK(to.back()->range.high >= 0, name, " of ", typeText(operands[0]), ": negative size");
  }
  if (op != OpKind::Reshape) return;
  const std::vector<IntExpr> from = sizesOf(operands[0]->as<TensorView>());
  const IntExpr before = product(fusion.ints(), from, 0, from.size());
  const IntExpr after = product(fusion.ints(), to, 0, to.size());
  FUSER_USER_CHECK(before == after || !before->isConstant() || !after->isConstant(), "reshape of ",
                   typeText(operands[0]), " to ", after->value, " elements: it has ", before->value);
}

SliceBounds sliceBounds(IntExprArena& ints, IntExpr size, const Attributes& attributes) {
  const IntExpr start = clampedBound(ints, attributes.start(), size);
  const IntExpr end = clampedBound(ints, attributes.end(), size);
  const IntExpr written = attributes.step();
  const IntExpr step = written->range.low >= 1 ? written : ints.max(written, ints.constant(1));
  if (ints.provablyAtMost(end, start)) return {start, ints.constant(0), step};
  const IntExpr distance = ints.sub(end, start);
  const IntExpr length = ints.provablyAtMost(start, end) ? distance : ints.max(distance, ints.constant(0));
  return {start, plain(ints, ints.ceilDiv(length, step)), step};
}

IntExpr selectedPlace(IntExprArena& ints, IntExpr size, IntExpr index) {
  if (index->range.low >= 0) return index;
  if (index->range.high < 0) return ints.add(index, size);
  return ints.add(index, ints.mul(isNegative(ints, index), size));
}

Padding paddingOf(IntExprArena& ints, const std::vector<IntExpr>& pads, size_t axis, size_t rank) {
  const size_t place = 2 * (rank - 1 - axis);
  if (place + 1 >= pads.size()) return {ints.constant(0), ints.constant(0)};
  return {pads[place], pads[place + 1]};
}

// Greedy: each group is the shortest pair of runs with equal products, single equal axes first; the rest is one group.
std::vector<ReshapeGroup> reshapeGroups(IntExprArena& ints, const std::vector<IntExpr>& from,
                                        const std::vector<IntExpr>& to) {
  std::vector<ReshapeGroup> groups;
  size_t i = 0, j = 0;
  const auto close = [&](size_t iEnd, size_t jEnd) {
    const bool same = iEnd == i + 1 && jEnd == j + 1 && from[i] == to[j];
    groups.push_back({i, iEnd, j, jEnd, same});
    i = iEnd;
    j = jEnd;
  };
  const auto closeShortest = [&] {
    if (i < from.size() && j < to.size() && from[i] == to[j]) return close(i + 1, j + 1);
    if (i < from.size() && from[i]->isConstant(1)) return close(i + 1, j);
    if (j < to.size() && to[j]->isConstant(1)) return close(i, j + 1);
    for (size_t length = 2; length <= from.size() - i + to.size() - j; ++length) {
      for (size_t taken = 1; taken < length; ++taken) {
        const size_t iEnd = i + taken, jEnd = j + length - taken;
        if (iEnd > from.size() || jEnd > to.size()) continue;
        if (product(ints, from, i, iEnd) == product(ints, to, j, jEnd)) return close(iEnd, jEnd);
      }
    }
    close(from.size(), to.size());
  };
  while (i < from.size() || j < to.size()) closeShortest();
  return groups;
}

std::vector<IntExpr> reshapedSizes(IntExprArena& ints, const std::vector<IntExpr>& from, std::vector<IntExpr> shape) {
  const auto open = std::find_if(shape.begin(), shape.end(), [](IntExpr size) { return size->isConstant(-1); });
  if (open == shape.end()) return shape;
  std::vector<IntExpr> count, counts, known, knowns;  // numbers and other factors, of all and of the other sizes
  for (IntExpr size : from) collectFactors(size, count, counts);
  for (auto size = shape.begin(); size != shape.end(); ++size) {
    if (size != open) collectFactors(*size, known, knowns);
  }
  // Cancels symbolic factors that occur on both sides: they are not 0 whenever the -1 is defined.
  std::erase_if(knowns, [&](IntExpr factor) {
    const auto same = std::find(counts.begin(), counts.end(), factor);
    if (same == counts.end()) return false;
    counts.erase(same);
    return true;
  });
  // Reduces the constant factors to lowest terms, so that one size has one text.
  const int64_t above = product(ints, count, 0, count.size())->value,
                below = product(ints, known, 0, known.size())->value;
  const int64_t common = std::max<int64_t>(std::gcd(above, below), 1);
  count = {ints.constant(above / common)};
  known = {ints.constant(below / common)};
  count.insert(count.end(), counts.begin(), counts.end());
  known.insert(known.end(), knowns.begin(), knowns.end());
  *open = ints.floorDiv(product(ints, count, 0, count.size()), product(ints, known, 0, known.size()));
  return shape;
}

std::vector<IntExpr> sizesOf(const TensorView* tensor) {
  std::vector<IntExpr> sizes;
  for (const IterDomain* axis : tensor->axes()) sizes.push_back(axis->size());
  return sizes;
}

}  // namespace fuser
