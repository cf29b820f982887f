#include "fuser/analysis/reference_map.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "fuser/analysis/axis_map.h"
#include "fuser/analysis/trailing_reshapes.h"
#include "fuser/support/disjoint_sets.h"

namespace fuser {

// Numbers the axes of all tensors computed in a part and unites those that an op relates. With `throughInputs`, inputs
// of the part relate axes, too: two readers of one input then share axes.
class ReferenceMap::AxisClasses {
 public:
  AxisClasses(const std::vector<Expr*>& exprs, bool throughInputs) : trailing_(exprs) {
    for (const Expr* expr : exprs) {
      for (const Val* output : expr->outputs()) {
        if (!output->isTensor()) continue;
        tensors_.push_back(output->as<TensorView>());
        computed_.insert(output->as<TensorView>());
        number(output->as<TensorView>());
      }
    }
    for (const Expr* expr : exprs) {
      for (const Val* operand : expr->inputs()) {
        if (throughInputs && operand->isTensor() && !expr->isScalarExpr()) number(operand->as<TensorView>());
      }
    }
    related_.grow(axes_.size());
    equal_.grow(axes_.size());
    for (const Expr* expr : exprs) relate(expr);
    // Equal extents are equal sizes. (Equality must be transitive, or which clash is found would depend on which axis
    // of a class comes first.)
    std::map<uint32_t, size_t> withExtent;  // by the extent's id
    for (size_t i = 0; i < axes_.size(); ++i) {
      if (!axes_[i]->isBroadcast()) equal_.unite(withExtent.emplace(axes_[i]->extent()->id, i).first->second, i);
    }
  }

  // Axes that nothing relates to the reference's are its axes all the same. If it is a reduction, those of
  // reductions that keep and reduce the same extents in the same order; in a part without reductions, all: their axes
  // in the order of memory, the fastest one with the reference's fastest one.
  void joinUnrelated(const std::vector<Expr*>& exprs, const TensorView* reference) {
    const std::vector<IterDomain*>& theirs = reference->domain().logical;
    const auto isReducing = [](const Expr* expr) { return !expr->isScalarExpr() && isReduction(expr->op()); };
    if (std::any_of(theirs.begin(), theirs.end(), [](const IterDomain* axis) { return axis->isReduction(); })) {
      for (const Expr* expr : exprs) {
        const auto* tensor = isReducing(expr) ? expr->output()->as<TensorView>() : nullptr;
        if (!tensor || !haveOneShape(tensor, reference) || areCrossed(tensor, reference)) continue;
        for (size_t i = 0; i < theirs.size(); ++i) related_.unite(first_.at(tensor) + i, first_.at(reference) + i);
      }
    } else if (std::none_of(exprs.begin(), exprs.end(), isReducing)) {
      joinElements(reference);
    }
  }

  bool has(const TensorView* tensor) const { return first_.count(tensor) != 0; }
  bool isTrailing(const Expr* expr) const { return trailing_.contains(expr); }
  size_t classOf(const TensorView* tensor, size_t axis) { return related_.find(first_.at(tensor) + axis); }
  const std::vector<const TensorView*>& tensors() const { return tensors_; }
  // The sets of extents (ReferenceMap::extentSet) of the tensor's axes with elements, each once.
  std::set<int> extentSets(const TensorView* tensor) {
    std::set<int> sets;
    const std::vector<IterDomain*>& axes = tensor->domain().logical;
    for (size_t i = 0; i < axes.size(); ++i) {
      if (axes[i]->isBroadcast()) continue;
      const auto found = extentSetOf_.find(unjoined_.find(first_.at(tensor) + i));
      sets.insert(found == extentSetOf_.end() ? 0 : found->second);
    }
    return sets;
  }
  bool hasExtentSets() const { return extentSets_ > 0; }

  // A broadcast axis may relate axes of different sizes; then their class has no single extent.
  std::string findClash() {
    std::map<size_t, size_t> example;  // class -> an axis with elements
    for (size_t i = 0; i < axes_.size(); ++i) {
      if (axes_[i]->isBroadcast()) continue;
      const size_t other = example.emplace(related_.find(i), i).first->second;
      if (!equal_.same(i, other)) {
        return concat("%", owners_[i]->name(), " and %", owners_[other]->name(),
                      " broadcast one value along different axes");
      }
    }
    return "";
  }

 private:
  void number(const TensorView* tensor) {
    if (!first_.emplace(tensor, axes_.size()).second) return;
    for (const IterDomain* axis : tensor->domain().logical) {
      axes_.push_back(axis);
      owners_.push_back(tensor);
    }
  }

  // The number of the axis at an index of axes(), which has no reduction axes.
  size_t visibleAxis(const TensorView* tensor, int position) const {
    size_t index = first_.at(tensor);
    for (const IterDomain* axis : tensor->domain().logical) {
      if (!axis->isReduction() && position-- == 0) return index;
      ++index;
    }
    FUSER_CHECK(false, "no such axis");
  }

  static bool haveOneShape(const TensorView* a, const TensorView* b) {
    const std::vector<IterDomain*>& mine = a->domain().logical;
    const std::vector<IterDomain*>& theirs = b->domain().logical;
    return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                      [](const IterDomain* x, const IterDomain* y) {
                        if (x->isReduction() != y->isReduction() || x->isBroadcast() != y->isBroadcast()) return false;
                        return x->isBroadcast() || x->extent() == y->extent();
                      });
  }

  bool areRelated(const TensorView* a, const TensorView* b) {
    for (size_t i = 0; i < a->domain().logical.size(); ++i) {
      for (size_t j = 0; j < b->domain().logical.size(); ++j) {
        if (classOf(a, i) == classOf(b, j)) return true;
      }
    }
    return false;
  }

  // Whether an axis of one is related to one of the other at another place.
  bool areCrossed(const TensorView* a, const TensorView* b) {
    for (size_t i = 0; i < a->domain().logical.size(); ++i) {
      for (size_t j = 0; j < b->domain().logical.size(); ++j) {
        if (i != j && classOf(a, i) == classOf(b, j)) return true;
      }
    }
    return false;
  }

  // The axes with elements of a tensor without reduced axes, the slowest one in memory first.
  static std::vector<size_t> concreteInMemory(const TensorView* tensor) {
    std::vector<size_t> axes;
    const std::vector<IterDomain*>& logical = tensor->domain().logical;
    const std::vector<int>& order = tensor->domain().allocationOrder;
    for (size_t i = 0; i < logical.size(); ++i) {
      const size_t axis = order.empty() ? i : static_cast<size_t>(order[i]);
      if (!logical[axis]->isBroadcast()) axes.push_back(axis);
    }
    return axes;
  }

  // The order before a schedule copied any: a copy comes just before what it copies.
  std::vector<const TensorView*> inOrderOfComputation() const {
    const auto isPlaced = [](const TensorView* tensor) {
      return tensor->definition()->place() != tensor->definition()->id();
    };
    const bool scheduled = std::any_of(tensors_.begin(), tensors_.end(), isPlaced);
    std::unordered_map<const TensorView*, size_t> numbers;  // look-ups only
    for (const TensorView* tensor : tensors_) numbers.emplace(tensor, numbers.size());
    const auto keyOf = [&](const TensorView* tensor) {
      const size_t place = scheduled ? tensor->definition()->place() : numbers.at(tensor);
      return std::pair(place, -static_cast<int64_t>(tensor->id()));
    };
    std::vector<const TensorView*> ordered = tensors_;
    std::sort(ordered.begin(), ordered.end(),
              [&](const TensorView* a, const TensorView* b) { return keyOf(a) < keyOf(b); });
    return ordered;
  }

  void joinElements(const TensorView* reference) {
    const std::vector<size_t> theirs = concreteInMemory(reference);
    unjoined_ = related_;
    // Those with most axes first: the rest of what is related to one has no other axes. Of these, the one that is
    // computed last, whatever copies a schedule makes.
    std::map<size_t, std::vector<const TensorView*>, std::greater<>> byAxes;
    const std::vector<const TensorView*> byPlace = inOrderOfComputation();
    for (auto tensor = byPlace.rbegin(); tensor != byPlace.rend(); ++tensor)
      byAxes[concreteInMemory(*tensor).size()].push_back(*tensor);
    for (const auto& [number, tensors] : byAxes) {
      for (const TensorView* tensor : tensors) {
        if (number == 0 || number > theirs.size() || areRelated(tensor, reference)) continue;
        const std::vector<size_t> mine = concreteInMemory(tensor);
        bool alike = true;
        for (size_t i = 0; i < number; ++i) {
          const size_t axis = first_.at(tensor) + mine[i];
          const size_t other = first_.at(reference) + theirs[theirs.size() - number + i];
          alike &= axes_[axis]->extent() == axes_[other]->extent();
          related_.unite(axis, other);
        }
        if (alike) continue;
        ++extentSets_;
        for (size_t i = 0; i < number; ++i) extentSetOf_[unjoined_.find(first_.at(tensor) + mine[i])] = extentSets_;
      }
    }
  }

  // The results of one expression have the same axes.
  void relateResults(const Expr* expr) {
    const size_t first = first_.at(expr->output()->as<TensorView>());
    for (const Val* result : expr->outputs()) {
      const TensorView* tensor = result->as<TensorView>();
      for (size_t i = 0; i < tensor->domain().logical.size(); ++i) {
        related_.unite(first + i, first_.at(tensor) + i);
        if (!axes_[first + i]->isBroadcast()) equal_.unite(first + i, first_.at(tensor) + i);
      }
    }
  }

  void relate(const Expr* expr) {
    if (expr->isScalarExpr()) return;
    relateResults(expr);
    for (const Val* operand : expr->inputs()) {
      if (operand->isScalar() || !has(operand->as<TensorView>())) continue;
      const TensorView* producer = operand->as<TensorView>();
      // Each has loops of its own.
      if (computed_.count(producer) != 0 && !readsInPlace(expr, producer) && !trailing_.contains(expr)) continue;
      const std::vector<int> map = producerAxes(expr, producer);
      for (size_t i = 0; i < map.size(); ++i) {
        if (map[i] < 0) continue;
        const size_t mine = first_.at(expr->output()->as<TensorView>()) + i;
        const size_t theirs = visibleAxis(producer, map[i]);
        related_.unite(mine, theirs);
        if (!axes_[mine]->isBroadcast() && !axes_[theirs]->isBroadcast()) equal_.unite(mine, theirs);
      }
    }
  }

  const TrailingReshapes trailing_;
  std::vector<const TensorView*> tensors_;
  std::unordered_set<const TensorView*> computed_;  // the same; look-ups only
  std::vector<const IterDomain*> axes_;
  std::vector<const TensorView*> owners_;
  std::unordered_map<const TensorView*, size_t> first_;  // look-ups only
  DisjointSets related_;
  DisjointSets unjoined_;  // related_ before joinElements
  DisjointSets equal_;
  int extentSets_ = 0;
  std::unordered_map<size_t, int> extentSetOf_;  // by class of unjoined_; look-ups only
};

std::variant<ReferenceMap, std::string> ReferenceMap::build(const std::vector<Expr*>& exprs,
                                                            const TensorView* reference) {
  std::variant<ReferenceMap, std::string> map = build(exprs, reference, true);
  // An input may be read along different axes; then it relates no axes.
  return std::holds_alternative<ReferenceMap>(map) ? map : build(exprs, reference, false);
}

std::variant<ReferenceMap, std::string> ReferenceMap::build(const std::vector<Expr*>& exprs,
                                                            const TensorView* reference, bool throughInputs) {
  AxisClasses classes(exprs, throughInputs);
  FUSER_CHECK(classes.has(reference), "the reference is not a result of the part");
  if (std::string clash = classes.findClash(); !clash.empty()) return clash;
  classes.joinUnrelated(exprs, reference);
  std::map<size_t, int> positionOf;
  for (size_t i = 0; i < reference->domain().logical.size(); ++i) {
    if (!positionOf.emplace(classes.classOf(reference, i), static_cast<int>(i)).second) {
      return concat("%", reference->name(), " needs one value along two of its axes");
    }
  }
  ReferenceMap map;
  map.reference_ = reference;
  map.relatesInputs_ = throughInputs;
  for (const TensorView* tensor : classes.tensors()) {
    std::vector<int>& positions = map.positions_[tensor];
    const std::vector<IterDomain*>& axes = tensor->domain().logical;
    for (size_t i = 0; i < axes.size(); ++i) {
      const auto found = positionOf.find(classes.classOf(tensor, i));
      const int position = found == positionOf.end() ? -1 : found->second;
      if (position >= 0 && !axes[i]->isBroadcast() && reference->domain().logical[position]->isBroadcast()) {
        // A common loop nest would iterate over the product of axes that no single tensor has.
        return concat("%", tensor->name(), " has elements along axis ", position, " of %", reference->name(),
                      ", which is broadcast there");
      }
      if (position >= 0 && std::find(positions.begin(), positions.end(), position) != positions.end()) {
        return concat("two axes of %", tensor->name(), " are one axis of %", reference->name());
      }
      positions.push_back(position);
    }
  }
  if (std::string reason = map.findExtentSets(exprs, classes); !reason.empty()) return reason;
  std::map<size_t, const TensorView*> madeBy;  // class of an axis -> the trailing reshape that makes it
  for (const Expr* expr : exprs) {
    if (!classes.isTrailing(expr)) continue;
    if (std::string reason = map.addReshape(expr, classes, madeBy); !reason.empty()) return reason;
  }
  for (const TensorView* tensor : classes.tensors()) {
    if (std::string reason = map.findTrailing(tensor, classes, madeBy); !reason.empty()) return reason;
  }
  for (const TensorView* tensor : classes.tensors()) {
    if (map.trailsItself(tensor)) return concat("%", tensor->name(), " has the axes of a reshape that is made of it");
  }
  return map;
}

// A tensor and those that read it in its loops have one set of extents. Tensors of one element have that of the loops
// that they are read in.
std::string ReferenceMap::findExtentSets(const std::vector<Expr*>& exprs, AxisClasses& classes) {
  const std::vector<const TensorView*>& tensors = classes.tensors();
  for (const TensorView* tensor : tensors) extentSets_[tensor] = 0;
  if (!classes.hasExtentSets()) return "";
  std::unordered_map<const Val*, size_t> numbers;  // of the tensors; look-ups only
  for (const TensorView* tensor : tensors) numbers.emplace(tensor, numbers.size());
  std::vector<std::optional<int>> sets(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::set<int> own = classes.extentSets(tensors[i]);
    if (own.size() > 1) return concat("%", tensors[i]->name(), " has axes of tensors with different extents");
    if (!own.empty()) sets[i] = *own.begin();
  }
  std::vector<std::pair<size_t, size_t>> reads;  // what is read in its own loops, and its reader
  for (const Expr* expr : exprs) {
    for (const Val* operand : expr->inputs()) {
      const auto found = numbers.find(operand);
      if (found != numbers.end() && readsInPlace(expr, operand->as<TensorView>()))
        reads.emplace_back(found->second, numbers.at(expr->output()));
    }
  }
  DisjointSets alike(tensors.size());
  for (const auto& [operand, reader] : reads) {
    if (!sets[operand] && !sets[reader]) alike.unite(operand, reader);
  }
  std::map<size_t, int> ofOneElement;
  for (const auto& [operand, reader] : reads) {
    if (!sets[operand] && sets[reader]) ofOneElement.emplace(alike.find(operand), *sets[reader]);
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto found = ofOneElement.find(alike.find(i));
    if (!sets[i]) sets[i] = found == ofOneElement.end() ? 0 : found->second;
    extentSets_[tensors[i]] = *sets[i];
  }
  for (const auto& [operand, reader] : reads) {
    if (*sets[operand] != *sets[reader])
      return concat("%", tensors[operand]->name(), " is needed in loops over different extents");
  }
  return "";
}

// Enters the axes that a trailing reshape makes. Those of two reshapes are the same if they take equal operands apart.
std::string ReferenceMap::addReshape(const Expr* expr, AxisClasses& classes,
                                     std::map<size_t, const TensorView*>& madeBy) {
  const auto* result = expr->output()->as<TensorView>();
  const auto* operand = expr->input(0)->as<TensorView>();
  const std::vector<int> same = producerAxes(expr, operand);
  const auto isMade = [&](size_t i) { return same[i] < 0 && !result->domain().logical[i]->isBroadcast(); };
  bool makes = false;
  for (size_t i = 0; i < same.size(); ++i) makes |= isMade(i);
  // The sizes say that it has one element, as i0 of [i0, i0] -> [i0]; the loops of the operand run over it.
  for (size_t i = 0; i < operand->axes().size() && !makes; ++i) {
    if (!operand->axes()[i]->isBroadcast() && std::find(same.begin(), same.end(), static_cast<int>(i)) == same.end())
      return concat("%", result->name(), " leaves out axis ", i, " of %", operand->name());
  }
  for (size_t i = 0; i < same.size(); ++i) {
    if (!isMade(i)) continue;
    if (positions(result)[i] >= 0)
      return concat("axis ", i, " of %", result->name(), " is made by a reshape, and is one of %", reference_->name());
    const auto [found, isNew] = madeBy.emplace(classes.classOf(result, i), result);
    if (isNew || found->second == result) continue;
    const auto* other = found->second->definition()->input(0)->as<TensorView>();
    const std::vector<IterDomain*> mine = operand->axes(), theirs = other->axes();
    const bool alike = positions(operand) == positions(other) && mine.size() == theirs.size() &&
                       std::equal(mine.begin(), mine.end(), theirs.begin(),
                                  [](const auto* a, const auto* b) { return !a->isBroadcast() && !b->isBroadcast(); });
    if (!alike) return concat("%", result->name(), " and %", found->second->name(), " reshape differently");
  }
  return "";
}

// An axis with elements that the reference lacks is one that a trailing reshape makes.
std::string ReferenceMap::findTrailing(const TensorView* tensor, AxisClasses& classes,
                                       const std::map<size_t, const TensorView*>& madeBy) {
  const std::vector<IterDomain*>& axes = tensor->domain().logical;
  Trailing trailing;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (positions(tensor)[i] >= 0 || axes[i]->isBroadcast()) continue;
    const auto made = madeBy.find(classes.classOf(tensor, i));
    if (made == madeBy.end())
      return concat("axis ", i, " of %", tensor->name(), " has no counterpart in %", reference_->name());
    if (trailing.reshape && trailing.reshape != made->second)
      return concat("%", tensor->name(), " has axes of two reshapes");
    trailing.reshape = made->second;
  }
  if (!trailing.reshape) return "";
  if (std::any_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis->isReduction(); }))
    return concat("%", tensor->name(), " reduces what %", trailing.reshape->name(), " reshapes");
  const std::vector<IterDomain*>& made = trailing.reshape->domain().logical;
  for (size_t i = 0; i < axes.size(); ++i) {
    trailing.axes.push_back(-1);
    if (axes[i]->isBroadcast()) continue;
    // An axis of one element has another coordinate than an axis with elements to which a reader broadcasts it.
    const auto isSame = [&](size_t axis) {
      return !made[axis]->isBroadcast() && classes.classOf(trailing.reshape, axis) == classes.classOf(tensor, i);
    };
    size_t axis = 0;
    while (axis < made.size() && !isSame(axis)) ++axis;
    if (axis == made.size())
      return concat("axis ", i, " of %", tensor->name(), " has no counterpart in %", trailing.reshape->name());
    if (std::find(trailing.axes.begin(), trailing.axes.end(), static_cast<int>(axis)) != trailing.axes.end())
      return concat("two axes of %", tensor->name(), " are one axis of %", trailing.reshape->name());
    trailing.axes.back() = static_cast<int>(axis);
  }
  trailing_.emplace(tensor, std::move(trailing));
  return "";
}

// A reader may relate the axes of a tensor to those of a reshape of it.
bool ReferenceMap::trailsItself(const TensorView* tensor) const {
  size_t steps = 0;
  const Trailing* trails = trailing(tensor);
  for (; trails && steps <= trailing_.size(); ++steps) {
    trails = trailing(trails->reshape->definition()->input(0)->as<TensorView>());
  }
  return steps > trailing_.size();
}

const TensorView* ReferenceMap::leader(const TensorView* tensor) const {
  while (const Trailing* trails = trailing(tensor)) {
    tensor = trails->reshape->definition()->input(0)->as<TensorView>();
  }
  return tensor;
}

ReferenceMap ReferenceMap::onCopies(const std::vector<Expr*>& exprs,
                                    const std::unordered_map<const Val*, Val*>& copies) const {
  const auto copyOf = [&](const Val* val) { return copies.at(val)->as<TensorView>(); };
  ReferenceMap map;
  map.reference_ = copyOf(reference_);
  map.relatesInputs_ = relatesInputs_;
  for (const Expr* expr : exprs) {
    for (const Val* output : expr->outputs()) {
      if (!output->isTensor() || !contains(output->as<TensorView>())) continue;
      map.positions_.emplace(copyOf(output), positions(output->as<TensorView>()));
      map.extentSets_.emplace(copyOf(output), extentSet(output->as<TensorView>()));
      if (const Trailing* known = trailing(output->as<TensorView>()))
        map.trailing_.emplace(copyOf(output), Trailing{copyOf(known->reshape), known->axes});
    }
  }
  return map;
}

std::vector<int> ReferenceMap::operandPositions(const Expr* expr, const TensorView* operand) const {
  const std::vector<int> map = producerAxes(expr, operand);
  const std::vector<int>& mine = positions(expr->output()->as<TensorView>());
  std::vector<int> result(operand->rank(), -1);
  for (size_t i = 0; i < map.size(); ++i) {
    if (map[i] >= 0) result[map[i]] = mine[i];
  }
  return result;
}

}  // namespace fuser
