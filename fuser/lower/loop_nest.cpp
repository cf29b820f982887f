#include "fuser/lower/loop_nest.h"

#include <algorithm>
#include <map>
#include <set>

#include "fuser/analysis/axis_map.h"
#include "fuser/analysis/loop_map.h"
#include "fuser/analysis/schedule_limits.h"
#include "fuser/types/term_count.h"

namespace fuser {
namespace {

// The dimension of a thread or block type: 0, 1, 2 for x, y, z.
size_t dimOf(ParallelType type) {
  return static_cast<size_t>(type) - static_cast<size_t>(isThreadDim(type) ? ParallelType::TIDx : ParallelType::BIDx);
}

}  // namespace

IntExpr shortIndex(IntExpr index, const TensorView* tensor) {
  FUSER_USER_CHECK(hasAtMostTerms(index, kMaxIndexTerms, kMaxIndexTerms), "the splits and merges of %", tensor->name(),
                   " make an index or extent of more than ", kMaxIndexTerms, " terms");
  return index;
}

LoopNest::LoopNest(const InlineReads& reads, Kernel& kernel, const std::function<IntExpr(IntExpr)>& importExtent)
    : kernel_(kernel) {
  size_t loopCount = 0;
  for (const Expr* expr : reads.exprsWithLoops()) {
    for (const Val* result : expr->outputs()) {
      const TensorView* tensor = result->as<TensorView>();
      tensors_.push_back(tensor);
      firstRoot_[tensor] = roots_.size();
      firstLoop_[tensor] = loopCount;
      roots_.insert(roots_.end(), tensor->domain().loopRoot.begin(), tensor->domain().loopRoot.end());
      loopCount += tensor->domain().loop.size();
    }
  }
  sameRoot_.grow(roots_.size());
  sameLoop_.grow(loopCount);
  for (const Expr* expr : reads.exprsWithLoops()) joinResults(expr);
  shareLoops(reads);
  findExtents(importExtent);
  findMultiples();
  sizeBlocks();
  makeIndices();
  for (const TensorView* tensor : tensors_) findCoordinates(tensor);
  for (const TensorView* tensor : tensors_) {
    if (!tensor->domain().trails) continue;
    const std::vector<IntExpr> trailing = trailingCoordinates(tensor, tensor, importExtent);
    for (size_t i = 0; i < trailing.size(); ++i) coordinates_[tensor->domain().logical[i]] = trailing[i];
    lacking_[tensor] = coordinatesLackedBy(tensor, importExtent);
  }
}

// All results of an expression are computed in one loop nest.
void LoopNest::joinResults(const Expr* expr) {
  const TensorView* first = expr->output()->as<TensorView>();
  for (size_t i = 1; i < expr->outputs().size(); ++i) {
    const TensorView* result = expr->output(i)->as<TensorView>();
    FUSER_CHECK(
        result->domain().loop == first->domain().loop && result->computeAtPosition() == first->computeAtPosition(), "%",
        result->name(), " does not run in the loops of %", first->name());
    for (size_t axis = 0; axis < first->domain().loop.size(); ++axis) {
      sameLoop_.unite(firstLoop_.at(first) + axis, firstLoop_.at(result) + axis);
    }
    for (size_t root = 0; root < first->domain().loopRoot.size(); ++root) {
      sameRoot_.unite(firstRoot_.at(first) + root, firstRoot_.at(result) + root);
    }
  }
}

void LoopNest::shareLoops(const InlineReads& reads) {
  for (const TensorView* tensor : tensors_) {
    if (tensor->computeAtPosition() == 0) continue;
    for (const Expr* use : tensor->uses()) {
      if (!reads.hasLoops(use) || reads.isInline(use, tensor)) continue;
      const size_t shared = tensor->computesWith() ? sharableLoops(tensor, use) : tensor->computeAtPosition();
      const TensorView* consumer = use->output()->as<TensorView>();
      const std::vector<int> match = matchLoopRoots(tensor, use);
      FUSER_CHECK(shared <= consumer->domain().loop.size(), "%", tensor->name(), " shares more loops than %",
                  consumer->name(), " has");
      for (size_t axis = 0; axis < shared; ++axis) {
        sameLoop_.unite(firstLoop_.at(tensor) + axis, firstLoop_.at(consumer) + axis);
        for (size_t root : rootsOf(tensor, tensor->domain().loop[axis])) {
          FUSER_CHECK(match[root] >= 0, "a shared loop of axes that do not correspond");
          sameRoot_.unite(firstRoot_.at(tensor) + root, firstRoot_.at(consumer) + static_cast<size_t>(match[root]));
        }
      }
    }
  }
}

void LoopNest::findExtents(const std::function<IntExpr(IntExpr)>& importExtent) {
  IntExprArena& ints = *kernel_.ints;
  std::vector<IntExpr> ofClass(roots_.size(), nullptr);
  // Axes at one position of the reference, of one set of extents, are one axis: their sizes are equal, and so that two
  // loop nests take it apart alike, they are one expression, however each tensor writes it.
  std::map<std::pair<int, int>, IntExpr> ofPosition;
  for (const TensorView* tensor : tensors_) {
    const TensorDomain& domain = tensor->domain();
    for (size_t root = 0; root < domain.loopRoot.size(); ++root) {
      IntExpr& extent = ofClass[sameRoot_.find(firstRoot_.at(tensor) + root)];
      if (extent || domain.loopRoot[root]->isBroadcast()) continue;
      IntExpr own = nullptr;
      IntExpr& size =
          domain.referencePosition.empty() ? own : ofPosition[{domain.extentSet, domain.referencePosition[root]}];
      if (!size) size = importExtent(domain.loopRoot[root]->extent());
      extent = size;
    }
  }
  for (size_t i = 0; i < roots_.size(); ++i) {
    const IntExpr extent = ofClass[sameRoot_.find(i)];
    extents_[roots_[i]] = extent ? extent : ints.constant(1);
  }
  const std::set<const IterDomain*> idle = idleLoops();
  const auto extentOf = [&](const IterDomain* axis, IntExpr extent) {
    return idle.count(axis) != 0 ? ints.constant(1) : extent;
  };
  for (const TensorView* tensor : tensors_) {
    // Logical axes without loops of their own: broadcast ones, and those behind a trailing reshape.
    for (const IterDomain* axis : tensor->domain().logical) {
      if (extents_.count(axis) != 0) continue;
      extents_[axis] = axis->isBroadcast() ? ints.constant(1) : importExtent(axis->extent());
    }
    for (const LoopTransform& step : tensor->domain().transforms) {
      if (step.split) {
        const IntExpr factor = ints.constant(step.split->factor);
        const IntExpr outer = step.split->whole ? ints.constant(1)
                                                : shortIndex(ints.ceilDiv(extents_.at(step.split->in), factor), tensor);
        extents_[step.split->outer] = extentOf(step.split->outer, outer);
        extents_[step.split->inner] = extentOf(step.split->inner, factor);
      } else {
        const IntExpr extent = ints.mul(extents_.at(step.merge->outer), extents_.at(step.merge->inner));
        extents_[step.merge->out] = extentOf(step.merge->out, shortIndex(extent, tensor));
      }
    }
  }
}

// Those that no thread or block runs along, and no tensor in them has elements along: one turn computes all that others
// would.
std::set<const IterDomain*> LoopNest::idleLoops() {
  std::vector<bool> turns(sameLoop_.size(), false);
  const auto forEachLoop = [&](const auto& visit) {
    for (const TensorView* tensor : tensors_) {
      size_t loop = firstLoop_.at(tensor);
      for (const IterDomain* axis : tensor->domain().loop) visit(axis, sameLoop_.find(loop++));
    }
  };
  forEachLoop([&](const IterDomain* axis, size_t loop) {
    const ParallelType type = axis->parallelType();
    const bool serial = !isThreadDim(type) && !isBlockDim(type) && type != ParallelType::Vectorize;
    if (!axis->isBroadcast() || !serial) turns[loop] = true;
  });
  std::set<const IterDomain*> idle;
  forEachLoop([&](const IterDomain* axis, size_t loop) {
    if (!turns[loop]) idle.insert(axis);
  });
  return idle;
}

void LoopNest::findMultiples() {
  std::unordered_map<IntExpr, int64_t> ofExtent;
  for (const TensorView* tensor : tensors_) {
    const std::vector<IterDomain*>& loop = tensor->domain().loop;
    if (loop.empty() || loop.back()->parallelType() != ParallelType::Vectorize) continue;
    const IterDomain* along = innermostRootOf(tensor, loop.back());
    if (!along) continue;
    int64_t& multiple = ofExtent[extents_.at(along)];
    multiple = std::max(multiple, loop.back()->extent()->value);
  }
  for (const IterDomain* root : roots_) {
    const auto found = ofExtent.find(extents_.at(root));
    multiples_[root] = found == ofExtent.end() ? 1 : found->second;
  }
  for (const TensorView* tensor : tensors_) {
    for (const LoopTransform& step : tensor->domain().transforms) {
      if (step.split) {
        const int64_t in = multiples_.at(step.split->in);
        multiples_[step.split->outer] = in % step.split->factor == 0 ? in / step.split->factor : 1;
        multiples_[step.split->inner] = step.split->factor;
      } else {
        const int64_t inner = multiples_.at(step.merge->inner);
        multiples_[step.merge->out] = inner > 1 ? inner : multiples_.at(step.merge->outer);
      }
    }
  }
}

void LoopNest::sizeBlocks() {
  kernel_.blockDim = {1, 1, 1};
  for (const TensorView* tensor : tensors_) {
    for (const IterDomain* axis : tensor->domain().loop) {
      if (!isThreadDim(axis->parallelType())) continue;
      const IntExpr extent = extents_.at(axis);
      FUSER_USER_CHECK(extent->isConstant(), "a thread axis of %", tensor->name(), " has no constant extent");
      int64_t& size = kernel_.blockDim[dimOf(axis->parallelType())];
      size = std::max(size, extent->value);
    }
  }
  sizeGrid();
  IntExprArena& ints = *kernel_.ints;
  const char* letters[] = {"x", "y", "z"};
  for (size_t d = 0; d < 3; ++d) {
    kernel_.threadIdx[d] = ints.index(concat("threadIdx.", letters[d]), ints.constant(kernel_.blockDim[d]));
    kernel_.blockIdx[d] = ints.index(concat("blockIdx.", letters[d]), kernel_.gridDim[d]);
  }
}

// The grid is as long as the longest loop along each dimension. What has one element along an axis is computed by block
// 0 of loops over its set's extents: schedulers refuse an output of that kind where those may be empty. The extents of
// another set may be, and leave no block to it.
void LoopNest::sizeGrid() {
  IntExprArena& ints = *kernel_.ints;
  const IntExpr one = ints.constant(1);
  for (size_t d = 0; d < 3; ++d) {
    const auto type = static_cast<ParallelType>(static_cast<size_t>(ParallelType::BIDx) + d);
    std::map<int, IntExpr> ofSet;
    bool all = true;  // tensors have a loop there; one without is computed whatever is empty
    for (const TensorView* tensor : tensors_) {
      IntExpr& size = ofSet.emplace(tensor->domain().extentSet, nullptr).first->second;
      bool has = false;
      for (const IterDomain* axis : tensor->domain().loop) {
        if (axis->parallelType() != type) continue;
        has |= !axis->isReduction();
        const IntExpr extent = extents_.at(axis);
        if (!axis->isBroadcast() || !extent->isConstant(1)) size = size ? ints.max(size, extent) : extent;
      }
      all &= has;
    }
    IntExpr& blocks = kernel_.gridDim[d];
    blocks = all ? nullptr : one;
    for (const auto& [set, size] : ofSet) {
      const IntExpr own = size ? size : one;
      blocks = blocks ? ints.max(blocks, own) : own;
    }
  }
}

IntExpr LoopNest::makeIndex(const IterDomain* axis, size_t loop) {
  const ParallelType type = axis->parallelType();
  if (isThreadDim(type)) return kernel_.threadIdx[dimOf(type)];
  if (isBlockDim(type)) return kernel_.blockIdx[dimOf(type)];
  if (type == ParallelType::Vectorize) return kernel_.ints->index(concat("v", loop), extents_.at(axis));
  return kernel_.ints->index(concat("i", loop), extents_.at(axis));
}

void LoopNest::makeIndices() {
  std::vector<IntExpr> ofLoop(sameLoop_.size(), nullptr);
  for (const TensorView* tensor : tensors_) {
    std::vector<Loop>& loops = loops_[tensor];
    for (const IterDomain* axis : tensor->domain().loop) {
      const size_t loop = sameLoop_.find(firstLoop_.at(tensor) + loops.size());
      if (!ofLoop[loop]) ofLoop[loop] = makeIndex(axis, loop);
      loops.push_back({loop, ofLoop[loop]});
    }
  }
}

void LoopNest::findCoordinates(const TensorView* tensor) {
  IntExprArena& ints = *kernel_.ints;
  const TensorDomain& domain = tensor->domain();
  const std::vector<Loop>& loops = loops_.at(tensor);
  for (size_t i = 0; i < loops.size(); ++i) {
    // The coordinate along an axis with one element is 0 for every thread; predicates mask the others.
    coordinates_[domain.loop[i]] = extents_.at(domain.loop[i])->isConstant(1) ? ints.constant(0) : loops[i].index;
  }
  for (auto step = domain.transforms.rbegin(); step != domain.transforms.rend(); ++step) {
    if (step->split && step->split->whole) {
      coordinates_[step->split->in] = coordinates_.at(step->split->inner);
    } else if (step->split) {
      const IntExpr outer = coordinates_.at(step->split->outer);
      const IntExpr in =
          ints.add(ints.mul(outer, ints.constant(step->split->factor)), coordinates_.at(step->split->inner));
      coordinates_[step->split->in] = shortIndex(in, tensor);
    } else if (extents_.at(step->merge->outer)->isConstant(1)) {
      // No remainder: what is beyond the inner axis is beyond the merged one, which predicates mask.
      coordinates_[step->merge->outer] = ints.constant(0);
      coordinates_[step->merge->inner] = coordinates_.at(step->merge->out);
    } else {
      const IntExpr out = coordinates_.at(step->merge->out);
      const IntExpr inner = extents_.at(step->merge->inner);
      coordinates_[step->merge->outer] = shortIndex(ints.floorDiv(out, inner), tensor);
      coordinates_[step->merge->inner] = shortIndex(ints.mod(out, inner), tensor);
    }
  }
}

// The coordinates of another tensor's axes() in the loops of this one, which are over the same axes of the reference.
std::vector<IntExpr> LoopNest::coordinatesIn(const TensorView* tensor, const TensorView* other,
                                             const std::function<IntExpr(IntExpr)>& importExtent) const {
  if (other->domain().trails) return trailingCoordinates(tensor, other, importExtent);
  const TensorDomain &mine = tensor->domain(), &theirs = other->domain();
  std::vector<IntExpr> coordinates;
  for (const IterDomain* axis : other->axes()) {
    coordinates.push_back(kernel_.ints->constant(0));
    const auto root = std::find(theirs.loopRoot.begin(), theirs.loopRoot.end(), axis);
    if (axis->isBroadcast() || root == theirs.loopRoot.end()) continue;
    const int position = theirs.referencePosition[static_cast<size_t>(root - theirs.loopRoot.begin())];
    const auto own = std::find(mine.referencePosition.begin(), mine.referencePosition.end(), position);
    FUSER_CHECK(own != mine.referencePosition.end(), "%", tensor->name(), " does not run in the loops of %",
                other->name());
    coordinates.back() = coordinate(mine.loopRoot[static_cast<size_t>(own - mine.referencePosition.begin())]);
  }
  return coordinates;
}

// Of the axes of the trailing reshape's result that the tensor lacks, in the tensor's loops.
std::vector<IntExpr> LoopNest::coordinatesLackedBy(const TensorView* tensor,
                                                   const std::function<IntExpr(IntExpr)>& importExtent) const {
  const TensorDomain& domain = tensor->domain();
  const std::vector<IterDomain*>& axes = domain.trails->domain().logical;
  const Expr* reshape = domain.trails->definition();
  const std::vector<IntExpr> from = coordinatesIn(tensor, reshape->input(0)->as<TensorView>(), importExtent);
  const std::vector<IntExpr> to = reshapedCoordinates(reshape, from, *kernel_.ints, importExtent);
  const std::vector<int>& own = domain.trailedAxes;
  std::vector<IntExpr> lacking;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i]->isBroadcast() || std::find(own.begin(), own.end(), static_cast<int>(i)) != own.end()) continue;
    lacking.push_back(shortIndex(to[i], tensor));
  }
  return lacking;
}

const std::vector<IntExpr>& LoopNest::lackingCoordinates(const TensorView* tensor) const { return lacking_.at(tensor); }

// Those of a tensor at the coordinates of a trailing reshape, which follow from the coordinates of its operand; one per
// logical axis, 0 on broadcast axes.
std::vector<IntExpr> LoopNest::trailingCoordinates(const TensorView* tensor, const TensorView* trailing,
                                                   const std::function<IntExpr(IntExpr)>& importExtent) const {
  const Expr* reshape = trailing->domain().trails->definition();
  const std::vector<IntExpr> from = coordinatesIn(tensor, reshape->input(0)->as<TensorView>(), importExtent);
  const std::vector<IntExpr> to = reshapedCoordinates(reshape, from, *kernel_.ints, importExtent);
  std::vector<IntExpr> coordinates;
  for (int axis : trailing->domain().trailedAxes) {
    coordinates.push_back(axis < 0 ? kernel_.ints->constant(0) : shortIndex(to[static_cast<size_t>(axis)], tensor));
  }
  return coordinates;
}

IntExpr LoopNest::coordinate(const IterDomain* axis) const {
  const auto found = coordinates_.find(axis);
  if (found != coordinates_.end()) return found->second;
  FUSER_CHECK(axis->isBroadcast(), "an axis with elements has no loop");
  return kernel_.ints->constant(0);
}

}  // namespace fuser
