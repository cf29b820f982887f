#pragma once
// LoopNest: assigns each loop axis of a scheduled part a loop of the kernel and its index expression. Loops that a
// producer shares with its consumers are one loop (a union-find). A broadcast axis in a shared loop takes the
// consumer's extent, so that the producer runs in the consumer's loop.

#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

#include "fuser/analysis/inline_reads.h"
#include "fuser/kernel/kernel.h"
#include "fuser/support/disjoint_sets.h"

namespace fuser {

// Returns `index`, an index or extent that the tensor's splits and merges produce. A UserError if it has more than
// kMaxIndexTerms terms.
IntExpr shortIndex(IntExpr index, const TensorView* tensor);

class LoopNest {
 public:
  // Fills the kernel's block and grid sizes. `reads`: of the part. `importExtent` copies an expression over the part's
  // extents into the kernel's arena. A UserError for a thread axis without a constant extent.
  LoopNest(const InlineReads& reads, Kernel& kernel, const std::function<IntExpr(IntExpr)>& importExtent);

  // The number of the kernel loop for loop axis `axis` of a tensor; shared loops have the same number.
  size_t loopOf(const TensorView* tensor, size_t axis) const { return loops_.at(tensor)[axis].loop; }
  // The index of a vector's elements is in no loop: whoever makes a statement takes one element's.
  IntExpr indexOf(const TensorView* tensor, size_t axis) const { return loops_.at(tensor)[axis].index; }
  size_t loopCount(const TensorView* tensor) const { return loops_.at(tensor).size(); }

  // The extent of any axis of a computed tensor; for a broadcast axis in a shared loop, the consumer's extent.
  IntExpr extent(const IterDomain* axis) const { return extents_.at(axis); }
  // A number that the extent of any axis of a computed tensor is known to be a multiple of: where a vector lies along
  // it, that of the vector's elements (rule 13 of a schedule), and so for all axes of the same size.
  int64_t multipleOf(const IterDomain* axis) const { return multiples_.at(axis); }
  // The coordinate along an axis as an expression of loop indices; 0 for a broadcast axis without a loop.
  IntExpr coordinate(const IterDomain* axis) const;
  // Of a tensor behind a trailing reshape: the coordinates, in its own loops, along the axes of the reshape's result
  // that it lacks.
  const std::vector<IntExpr>& lackingCoordinates(const TensorView* tensor) const;

 private:
  struct Loop {
    size_t loop = 0;
    IntExpr index = nullptr;
  };

  void joinResults(const Expr* expr);
  void shareLoops(const InlineReads& reads);
  void findExtents(const std::function<IntExpr(IntExpr)>& importExtent);
  std::set<const IterDomain*> idleLoops();
  void findMultiples();
  void sizeBlocks();
  void sizeGrid();
  void makeIndices();
  void findCoordinates(const TensorView* tensor);
  std::vector<IntExpr> coordinatesIn(const TensorView* tensor, const TensorView* other,
                                     const std::function<IntExpr(IntExpr)>& importExtent) const;
  std::vector<IntExpr> trailingCoordinates(const TensorView* tensor, const TensorView* trailing,
                                           const std::function<IntExpr(IntExpr)>& importExtent) const;
  std::vector<IntExpr> coordinatesLackedBy(const TensorView* tensor,
                                           const std::function<IntExpr(IntExpr)>& importExtent) const;
  IntExpr makeIndex(const IterDomain* axis, size_t loop);

  Kernel& kernel_;
  std::vector<const TensorView*> tensors_;  // computed in the part, in topological order
  std::unordered_map<const TensorView*, size_t> firstRoot_, firstLoop_;  // number of the first root axis, loop axis
  std::vector<const IterDomain*> roots_;
  DisjointSets sameRoot_, sameLoop_;
  std::unordered_map<const TensorView*, std::vector<Loop>> loops_;
  std::unordered_map<const IterDomain*, IntExpr> extents_, coordinates_;  // for lookups only
  std::unordered_map<const IterDomain*, int64_t> multiples_;              // for lookups only
  std::unordered_map<const TensorView*, std::vector<IntExpr>> lacking_;   // for lookups only
};

}  // namespace fuser
