#include "fuser/analysis/stored_slices.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "fuser/analysis/axis_map.h"
#include "fuser/ir/view_axes.h"

namespace fuser {
namespace {

bool isReshaped(const PlaceStep& step, const std::vector<IntExpr>& sizes) {
  return step.op == OpKind::Reshape && sizesOf(step.reshape->input(0)->as<TensorView>()) == sizes;
}

bool sameStep(const PlaceStep& one, const PlaceStep& other) {
  return one.op == other.op && one.dims == other.dims && one.start == other.start && one.step == other.step &&
         one.sizes == other.sizes;
}

bool undoes(const PlaceStep& later, const PlaceStep& step) {
  if (later.op == OpKind::Permute && step.op == OpKind::Permute) {
    for (size_t i = 0; i < later.dims.size(); ++i) {
      if (step.dims[static_cast<size_t>(later.dims[i])] != static_cast<int64_t>(i)) return false;
    }
    return true;
  }
  if (later.op == OpKind::Reshape) return isReshaped(step, later.sizes);
  const bool opposite = (later.op == OpKind::Squeeze && step.op == OpKind::Unsqueeze) ||
                        (later.op == OpKind::Unsqueeze && step.op == OpKind::Squeeze);
  return opposite && later.dims == step.dims;
}

void addStep(std::vector<PlaceStep>& steps, PlaceStep step) {
  if (!steps.empty() && undoes(step, steps.back())) {
    steps.pop_back();
  } else {
    steps.push_back(std::move(step));
  }
}

// A start that does not count from the end is clamped where the slice is empty alone.
PlaceStep sliceStep(IntExprArena& ints, IntExpr size, const Attributes& attributes) {
  const SliceBounds bounds = sliceBounds(ints, size, attributes);
  const IntExpr start = attributes.start()->range.low >= 0 ? attributes.start() : bounds.start;
  return {OpKind::Slice, {attributes.dim()}, start, bounds.step, {bounds.size}, nullptr};
}

// The slice of its first operand that a slice or slice_scatter takes.
PlaceStep sliceOf(const Expr* expr) {
  const auto axis = static_cast<size_t>(expr->attributes().dim());
  return sliceStep(expr->fusion().ints(), sizesOf(expr->input(0)->as<TensorView>())[axis], expr->attributes());
}

// The steps of a view op; none for any other op.
std::vector<PlaceStep> stepsOf(const Expr* expr) {
  const Attributes& attributes = expr->attributes();
  if (expr->op() == OpKind::Slice) return {sliceOf(expr)};
  if (expr->op() == OpKind::Select) {
    IntExprArena& ints = expr->fusion().ints();
    const int64_t dim = attributes.dim();
    const IntExpr size = sizesOf(expr->input(0)->as<TensorView>())[static_cast<size_t>(dim)];
    const IntExpr place = selectedPlace(ints, size, attributes.index()), one = ints.constant(1);
    const Attributes row = Attributes().dim(dim).start(place).end(ints.add(place, one)).step(one);
    return {sliceStep(ints, size, row), {OpKind::Squeeze, {dim}, nullptr, nullptr, {}, nullptr}};
  }
  if (expr->op() == OpKind::Permute || expr->op() == OpKind::Squeeze || expr->op() == OpKind::Unsqueeze) {
    return {{expr->op(), attributes.dims(), nullptr, nullptr, {}, nullptr}};
  }
  if (expr->op() == OpKind::Reshape) {
    return {{OpKind::Reshape, {}, nullptr, nullptr, sizesOf(expr->output()->as<TensorView>()), expr}};
  }
  return {};
}

bool hasExpandedAxis(const TensorView* tensor) {
  const std::vector<IterDomain*> axes = tensor->axes();
  return std::any_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis->isExpanded(); });
}

// What a tensor holds: places of `root`, with slices in them that are new. Without steps and slices, it is the root.
struct Held {
  TensorView* root = nullptr;
  std::vector<PlaceStep> steps;
  std::vector<StoredSlice> slices;
};

class HeldFinder {
 public:
  // What the result of an expression holds, though it may be whole. No root: of any other op, or without one (null).
  const Held& madeBy(const Expr* maker) {
    const auto [place, isNew] = held_.try_emplace(maker);
    if (isNew) place->second = find(maker);
    return place->second;
  }

 private:
  Held find(const Expr* maker) {
    if (maker && maker->op() == OpKind::SliceScatter) return scattered(maker);
    const std::vector<PlaceStep> steps = maker ? stepsOf(maker) : std::vector<PlaceStep>{};
    if (steps.empty()) return {};
    Held held = rooted(maker->input(0)->as<TensorView>());
    for (const PlaceStep& step : steps) addStep(held.steps, step);
    return held;
  }

  // A tensor that is whole is a root.
  Held rooted(TensorView* tensor) {
    const Held& held = madeBy(tensor->definition());
    const bool whole = !held.root || held.steps.empty();
    if (whole && !(held.root && isInnerPart(tensor))) return {tensor, {}, {}};
    return held;
  }

  Held scattered(const Expr* scatter) {
    auto* value = scatter->input(1)->as<TensorView>();
    Held held = rooted(scatter->input(0)->as<TensorView>());
    std::vector<PlaceStep> steps = held.steps;
    addStep(steps, sliceOf(scatter));
    Held inner = rooted(value);
    if (continues(inner, held, steps)) {
      held.slices = std::move(inner.slices);
    } else {
      held.slices.push_back({value, std::move(steps)});
    }
    return held;
  }

  // Whether what is scattered is what was there with more slices in it, all of which can be stored.
  static bool continues(const Held& inner, const Held& before, const std::vector<PlaceStep>& steps) {
    if (inner.root != before.root || inner.slices.size() <= before.slices.size()) return false;
    const auto starts = [](const StoredSlice& a, const StoredSlice& b) {
      return a.value == b.value && std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(), sameStep);
    };
    // A slice of what is around the scattered places is not scattered.
    const auto isInside = [&](const StoredSlice& slice) {
      return slice.steps.size() >= steps.size() &&
             std::equal(steps.begin(), steps.end(), slice.steps.begin(), sameStep);
    };
    const auto more = inner.slices.begin() + static_cast<std::ptrdiff_t>(before.slices.size());
    if (!std::all_of(more, inner.slices.end(), isInside)) return false;
    return std::equal(inner.steps.begin(), inner.steps.end(), steps.begin(), steps.end(), sameStep) &&
           std::equal(before.slices.begin(), before.slices.end(), inner.slices.begin(), starts) &&
           std::none_of(inner.slices.begin(), inner.slices.end(),
                        [](const StoredSlice& slice) { return hasExpandedAxis(slice.value); });
  }

  std::map<const Expr*, Held> held_;  // for lookups only
};

// The expressions between base and values, and the tensor.
void collect(Expr* maker, const StoredInto& into, std::vector<Expr*>& exprs) {
  if (std::find(exprs.begin(), exprs.end(), maker) != exprs.end()) return;
  for (Val* operand : maker->inputs()) {
    if (operand->isScalar() || operand == into.base || !operand->definition()) continue;
    const bool isSource = maker->op() == OpKind::SliceScatter && operand == maker->input(1);
    const auto isValue = [&](const StoredSlice& slice) { return slice.value == operand; };
    if (isSource && std::any_of(into.slices.begin(), into.slices.end(), isValue)) continue;
    collect(operand->definition(), into, exprs);
  }
  exprs.push_back(maker);
}

using Coordinates = std::vector<IntExpr>;

// Follows coordinates from the elements of a slice: to their places in the base, and to what they are computed from.
class Reads {
 public:
  Reads(const StoredSlice& slice, const TensorView* base, std::span<Expr* const> exprs)
      : slice_(slice), base_(base), inside_(exprs.begin(), exprs.end()) {}

  Overlap run() {
    const Coordinates element = fresh(slice_.value->axes()), another = fresh(slice_.value->axes());
    places_ = placesOf(slice_.steps, element);
    others_ = placesOf(slice_.steps, another);
    visit(slice_.value, element);
    return found_;
  }

  // Whether any element of the tensor reads where the slice is.
  bool isReadBy(const TensorView* value) {
    others_ = placesOf(slice_.steps, fresh(slice_.value->axes()));
    visit(value, fresh(value->axes()));
    return found_ != Overlap::None;
  }

  bool isApartFrom(const StoredSlice& other) {
    return areApart(placesOf(slice_.steps, fresh(slice_.value->axes())),
                    placesOf(other.steps, fresh(other.value->axes())));
  }

 private:
  static constexpr size_t kMaxReads = 500;  // places that are followed

  IntExpr import(IntExpr expr) {
    return ints_.import(expr, [this](IntExpr symbol) {
      const auto [place, isNew] = extents_.try_emplace(symbol, nullptr);
      if (isNew) place->second = ints_.symbol("n", symbol->range);
      return place->second;
    });
  }

  // Each axis' own index.
  Coordinates fresh(const std::vector<IterDomain*>& axes) {
    Coordinates coordinates;
    for (const IterDomain* axis : axes) {
      coordinates.push_back(axis->isBroadcast() && !axis->isExpanded() ? ints_.constant(0)
                                                                       : ints_.index("i", import(axis->size())));
    }
    return coordinates;
  }

  // The coordinates before the steps of an element behind them.
  Coordinates placesOf(const std::vector<PlaceStep>& steps, Coordinates at) {
    const auto axis = [](int64_t dim) { return static_cast<size_t>(dim); };
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (step->op == OpKind::Slice) {
        IntExpr& place = at[axis(step->dims[0])];
        place = ints_.add(import(step->start), ints_.mul(import(step->step), place));
      } else if (step->op == OpKind::Permute) {
        Coordinates before(at.size());
        for (size_t i = 0; i < at.size(); ++i) before[axis(step->dims[i])] = at[i];
        at = std::move(before);
      } else if (step->op == OpKind::Squeeze) {
        for (int64_t dim : step->dims) at.insert(at.begin() + dim, ints_.constant(0));
      } else if (step->op == OpKind::Unsqueeze) {
        for (auto dim = step->dims.rbegin(); dim != step->dims.rend(); ++dim) at.erase(at.begin() + *dim);
      } else {
        at = elementOf(step->reshape, 0, at);
      }
    }
    return at;
  }

  Coordinates elementOf(const Expr* expr, size_t operand, const Coordinates& at) {
    return operandElement(expr, operand, at, ints_, [this](IntExpr extent) { return import(extent); }).coordinates;
  }

  void visit(const TensorView* tensor, const Coordinates& at) {
    if (tensor == base_) return meet(at);
    Expr* maker = tensor->definition();
    if (!maker || !inside_.count(maker) || found_ == Overlap::Any) return;
    if (!seen_[tensor].insert(at).second) return;
    if (++followed_ > kMaxReads) return void(found_ = Overlap::Any);
    const auto* result = maker->output()->as<TensorView>();
    Coordinates all = fresh(result->domain().logical);  // of the result's logical axes, those that it reduces included
    for (size_t axis = 0, next = 0; axis < all.size(); ++axis) {
      if (!result->domain().logical[axis]->isReduction()) all[axis] = at.at(next++);
    }
    const std::vector<PlaceStep> steps = stepsOf(maker);
    if (!steps.empty()) return visit(maker->input(0)->as<TensorView>(), placesOf(steps, at));
    for (size_t i = 0; i < maker->inputs().size(); ++i) {
      if (!maker->input(i)->isTensor()) continue;
      const auto* operand = maker->input(i)->as<TensorView>();
      Coordinates read = all;
      if (readsAnyAlong(maker, i)) {  // any element along the axis
        const auto dim = static_cast<size_t>(maker->attributes().dim());
        read[dim] = ints_.index("i", import(operand->axes()[dim]->size()));
      }
      visit(operand, elementOf(maker, i, read));
    }
  }

  void meet(Coordinates at) {
    // A broadcast axis has one place, whatever coordinate its reader has along it.
    const std::vector<IterDomain*> axes = base_->axes();
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      if (axes[axis]->isBroadcast() && !axes[axis]->isExpanded()) at[axis] = ints_.constant(0);
    }
    if (places_ && at == *places_) {
      found_ = std::max(found_, Overlap::SameElements);
    } else if (!areApart(at, others_)) {
      found_ = Overlap::Any;
    }
  }

  bool areApart(const Coordinates& one, const Coordinates& other) const {
    for (size_t axis = 0; axis < one.size(); ++axis) {
      if (ints_.provablyLess(one[axis], other[axis]) || ints_.provablyLess(other[axis], one[axis])) return true;
    }
    return false;
  }

  const StoredSlice& slice_;
  const TensorView* base_;
  const std::unordered_set<const Expr*> inside_;  // for lookups only
  IntExprArena ints_;
  std::unordered_map<IntExpr, IntExpr> extents_;             // for lookups only
  std::map<const TensorView*, std::set<Coordinates>> seen_;  // for lookups only
  std::optional<Coordinates> places_;                        // of the element of the slice that is followed
  Coordinates others_;                                       // of any
  size_t followed_ = 0;
  Overlap found_ = Overlap::None;
};

}  // namespace

bool isInnerPart(const TensorView* tensor) {
  const auto isInPlace = [](const Expr* reader) {
    return reader->output()->isTensor() && reader->output()->as<TensorView>()->domain().inPlace;
  };
  return tensor->domain().inPlace && !tensor->isFusionOutput() && !tensor->uses().empty() &&
         std::all_of(tensor->uses().begin(), tensor->uses().end(), isInPlace);
}

std::optional<StoredInto> slicesStoredInto(const TensorView* whole) {
  Held held = HeldFinder().madeBy(whole->definition());
  const auto isStored = [](const StoredSlice& slice) { return !hasExpandedAxis(slice.value); };
  const bool apart = held.root && held.steps.empty() && !held.slices.empty() &&
                     std::all_of(held.slices.begin(), held.slices.end(), isStored);
  if (!apart) return std::nullopt;
  StoredInto into{held.root, std::move(held.slices), {}};
  std::vector<Expr*> exprs;
  collect(whole->definition(), into, exprs);
  into.exprs = std::move(exprs);
  return into;
}

Overlap overlapOf(const StoredSlice& slice, const TensorView* base, std::span<Expr* const> exprs) {
  return Reads(slice, base, exprs).run();
}

bool mayRead(const TensorView* value, const StoredSlice& slice, const TensorView* base, std::span<Expr* const> exprs) {
  return Reads(slice, base, exprs).isReadBy(value);
}

bool areDisjoint(const StoredSlice& one, const StoredSlice& other) {
  return Reads(one, nullptr, {}).isApartFrom(other);
}

}  // namespace fuser
