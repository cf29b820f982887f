#pragma once
// LoopNest: the loops of a scheduled part, as index expressions of the kernel. Loops that a producer shares with its
// consumers are one loop; a broadcast axis inside a shared loop takes the extent that the consumer gives it, so that
// the producer runs on the consumer's loops.

#include <functional>
#include <unordered_map>
#include <vector>

#include "fuser/kernel/kernel.h"
#include "fuser/support/disjoint_sets.h"

namespace fuser {

class LoopNest {
 public:
  // Fills the kernel's block and grid. importExtent: an expression over the part's extents -> over the kernel's
  // parameters.
  LoopNest(const Fusion& part, Kernel& kernel, const std::function<IntExpr(IntExpr)>& importExtent);

  // One number a loop: shared loops have one number.
  size_t loopOf(const TensorView* tensor, size_t axis) const { return loops_.at(tensor)[axis].loop; }
  IntExpr indexOf(const TensorView* tensor, size_t axis) const { return loops_.at(tensor)[axis].index; }
  size_t loopCount(const TensorView* tensor) const { return loops_.at(tensor).size(); }

  // Of any axis of a made tensor: with what consumers give to broadcast axes.
  IntExpr extent(const IterDomain* axis) const { return extents_.at(axis); }
  // The axis' coordinate as a function of the loops' indices. Unmapped broadcast axes are at 0.
  IntExpr coordinate(const IterDomain* axis) const;

 private:
  struct Loop {
    size_t loop = 0;
    IntExpr index = nullptr;
  };

  void joinResults(const Expr* expr);
  void shareLoops();
  void findExtents(const std::function<IntExpr(IntExpr)>& importExtent);
  void sizeBlocks();
  void makeIndices();
  void findCoordinates(const TensorView* tensor);
  IntExpr makeIndex(const IterDomain* axis, size_t loop);

  Kernel& kernel_;
  std::vector<const TensorView*> tensors_;  // made in the part, in topological order
  std::unordered_map<const TensorView*, size_t> firstRoot_, firstLoop_;  // numbering of all roots and loop axes
  std::vector<const IterDomain*> roots_;
  DisjointSets sameRoot_, sameLoop_;
  std::unordered_map<const TensorView*, std::vector<Loop>> loops_;
  std::unordered_map<const IterDomain*, IntExpr> extents_, coordinates_;  // look-ups only
};

}  // namespace fuser
