#include "fuser/lower/predicate.h"

#include <algorithm>
#include <set>

#include "fuser/analysis/loop_map.h"

namespace fuser {
namespace {

// What is one element along all of a loop's axes has one turn of it, the first, where its readers have all. A merge
// goes round: its inner coordinate of a later turn may be inside where that of the first one is not. So these axes
// say nothing; on chip, where each thread has a place of its own for it, the element is computed wherever.
std::set<const IterDomain*> withoutTurns(const TensorView* tensor, const LoopNest& nest) {
  const TensorDomain& domain = tensor->domain();
  std::set<const IterDomain*> lacking, unknown;  // look-ups only
  if (tensor->memoryType() == MemoryType::Global) return unknown;
  for (const IterDomain* axis : domain.loop) {
    if (axis->isBroadcast() && nest.extent(axis)->isConstant(1)) lacking.insert(axis);
  }
  for (auto step = domain.transforms.rbegin(); step != domain.transforms.rend(); ++step) {
    if (step->split) {
      for (std::set<const IterDomain*>* axes : {&lacking, &unknown}) {
        if (axes->count(step->split->outer) + axes->count(step->split->inner) != 0) axes->insert(step->split->in);
      }
    } else if (lacking.count(step->merge->out) != 0) {
      for (const IterDomain* axis : {step->merge->outer, step->merge->inner}) {
        lacking.insert(axis);
        if (axis->isBroadcast()) unknown.insert(axis);
      }
    }
  }
  // Where the axis has one element in all loops, no reader has other turns.
  std::erase_if(unknown, [&](const IterDomain* axis) {
    const std::vector<size_t> roots = rootsOf(tensor, axis);
    const auto hasTurns = [&](size_t root) { return !nest.extent(domain.loopRoot[root])->isConstant(1); };
    return !axis->isBroadcast() || std::none_of(roots.begin(), roots.end(), hasTurns);
  });
  return unknown;
}

class PredicateBuilder {
 public:
  PredicateBuilder(const TensorView* tensor, const LoopNest& nest, Kernel& kernel)
      : tensor_(tensor),
        domain_(tensor->domain()),
        nest_(nest),
        kernel_(kernel),
        ints_(*kernel.ints),
        condition_(ints_.constant(1)) {}

  IntExpr build() {
    insideThreads();
    insideSplits();
    if (tensor_->memoryType() != MemoryType::Local) once();
    return condition_;
  }

 private:
  void require(IntExpr condition) { condition_ = ints_.conjunction(condition_, condition); }

  void insideThreads() {
    for (size_t i = 0; i < domain_.loop.size(); ++i) {
      const ParallelType type = domain_.loop[i]->parallelType();
      // On chip, each block computes its own copy of the one element of an axis on blocks.
      const bool onChip = tensor_->memoryType() != MemoryType::Global;
      if (onChip && isBlockDim(type) && nest_.extent(domain_.loop[i])->isConstant(1)) continue;
      if (isThreadDim(type) || isBlockDim(type)) {
        require(ints_.less(nest_.indexOf(tensor_, i), nest_.extent(domain_.loop[i])));
      }
    }
  }

  // Requires in = outer * factor + inner < extent(in). If `in` is itself the outer axis of a split with such a
  // condition, that condition implies this one: q * f + r < n gives q < ceil(n / f).
  void insideSplits() {
    std::set<const IterDomain*> implied;
    const std::set<const IterDomain*> unknown = withoutTurns(tensor_, nest_);
    for (const LoopTransform& step : domain_.transforms) {
      if (!step.split) continue;
      const IterDomain* in = step.split->in;
      const IntExpr extent = nest_.extent(in);
      const int64_t factor = step.split->factor;
      // An empty axis has no loop over the outer part of a split, but one over all of a bound.
      if (extent->isConstant() && (step.split->whole ? extent->value == factor : extent->value % factor == 0)) continue;
      if (implied.count(in) == 0 && unknown.count(in) == 0) require(ints_.less(firstOfMultiple(in), extent));
      implied.insert(step.split->outer);
    }
  }

  // A coordinate with the same answer: of an axis of whole vectors, each vector is inside or outside. So elements of a
  // vector need no condition of their own: that of the vector is theirs.
  IntExpr firstOfMultiple(const IterDomain* axis) {
    const IntExpr coordinate = nest_.coordinate(axis);
    const int64_t multiple = nest_.multipleOf(axis);
    if (multiple == 1) return coordinate;
    const IntExpr place = ints_.mod(coordinate, ints_.constant(multiple));
    // Another remainder would make the condition longer.
    return place->isSymbol() ? ints_.sub(coordinate, place) : coordinate;
  }

  // An element in memory is stored by one thread: the first along each dimension that the tensor has no loop on. Each
  // block has its own shared memory, with an element for each coordinate, broadcast axes included.
  void once() {
    const bool shared = tensor_->memoryType() == MemoryType::Shared;
    const auto uses = [&](size_t type) {
      return std::any_of(domain_.loop.begin(), domain_.loop.end(),
                         [&](const IterDomain* axis) { return static_cast<size_t>(axis->parallelType()) == type; });
    };
    const IntExpr zero = ints_.constant(0);
    for (size_t d = 0; d < 3; ++d) {
      if (!uses(static_cast<size_t>(ParallelType::TIDx) + d)) require(ints_.equal(kernel_.threadIdx[d], zero));
      if (!shared && !uses(static_cast<size_t>(ParallelType::BIDx) + d))
        require(ints_.equal(kernel_.blockIdx[d], zero));
    }
    if (shared) return;
    if (domain_.trails) onceAlongReshape();
    for (const IterDomain* root : domain_.loopRoot) {
      if (root->isBroadcast() && !nest_.extent(root)->isConstant(1)) require(ints_.equal(nest_.coordinate(root), zero));
    }
  }

  // Behind a trailing reshape, at index 0 of the axes of the reshape's result that the tensor lacks.
  void onceAlongReshape() {
    for (IntExpr lacking : nest_.lackingCoordinates(tensor_)) require(ints_.equal(lacking, ints_.constant(0)));
  }

  const TensorView* tensor_;
  const TensorDomain& domain_;
  const LoopNest& nest_;
  Kernel& kernel_;
  IntExprArena& ints_;
  IntExpr condition_;
};

}  // namespace

IntExpr predicateOf(const TensorView* tensor, const LoopNest& nest, Kernel& kernel) {
  return PredicateBuilder(tensor, nest, kernel).build();
}

std::set<size_t> rootsWithoutTurns(const TensorView* tensor, const LoopNest& nest) {
  std::set<size_t> without;
  for (const IterDomain* axis : withoutTurns(tensor, nest)) {
    for (size_t root : rootsOf(tensor, axis)) without.insert(root);
  }
  return without;
}

}  // namespace fuser
