#pragma once
// SegmentGraph: the read-only interface of a segmentation: a partition of a fusion's live expressions into groups, each
// a kernel or a host step, with an edge for each value that crosses from one group to another. A cheap expression may
// be privatized: then every group that reads its result computes a copy, and no edge carries it.

#include <span>

#include "fuser/segment/segmented_group.h"

namespace fuser {

struct SegmentData;

class SegmentGraph {
 public:
  // The data must outlive this object.
  explicit SegmentGraph(const SegmentData& data) : data_(data) {}

  const Fusion& completeFusion() const;
  // The live groups. After finalize() they are in topological order (ties: scalar groups first, then by the position of
  // the first expression that the group owns).
  const std::vector<SegmentedGroup*>& groups() const;
  // Connected edges in order of creation.
  std::vector<SegmentedEdgePtr> edges() const;
  // The edges in both directions, in order of creation. A CheckError for a group of another segmentation.
  std::vector<SegmentedEdgePtr> getEdgesBetween(const SegmentedGroup* a, const SegmentedGroup* b) const;
  // The number of segment_sets between two groups, and of those inside one group, where they are plain sets.
  size_t cutSegmentSets() const;
  size_t uncutSegmentSets() const;

  // --- producers and readers of values: derived from the groups' expressions, not from the edges ---
  // The group that computes the value; null for inputs, literals and values whose definition is in no group.
  SegmentedGroup* producerOf(const Val* val) const;
  // The group that owns the expression in the partition; other groups may hold private copies of it.
  SegmentedGroup* groupOf(const Expr* expr) const;
  // All groups that compute the expression, its owner first.
  std::vector<SegmentedGroup*> groupsOf(const Expr* expr) const;
  bool computes(const SegmentedGroup* group, const Expr* expr) const;
  bool isPrivatized(const Expr* expr) const;  // whether several groups compute it
  // The groups that read the value, including its producer if that reads it, in order of their first reader.
  std::vector<SegmentedGroup*> consumersOf(const Val* val) const;
  // Whether the group reads the value, which has a definition, without computing it: then it needs an edge.
  bool readsFromOutside(const SegmentedGroup* group, const Val* val) const;
  // The values that an expression depends on: operands, then scalars that extents of its attributes, operands and
  // results name, without literals. `size` depends only on an extent, not on its tensor operand, so that host scalars
  // never wait for tensors.
  std::span<Val* const> reads(const Expr* expr) const;
  // The live expressions that read the value, in the order of liveExprs().
  std::span<Expr* const> readers(const Val* val) const;
  // The inputs and outputs of any set of this fusion's expressions, in the order that SegmentedGroup::inputs() has.
  std::vector<Val*> inputsOf(const std::vector<Expr*>& exprs) const;
  std::vector<Val*> outputsOf(const std::vector<Expr*>& exprs) const;
  // The expressions that some fusion output depends on, in topological order; the groups partition these. The order
  // follows from the outputs, not from ids, so the order in which independent expressions were built does not matter.
  const std::vector<Expr*>& liveExprs() const;
  const std::vector<Expr*>& liveTensorExprs() const;  // liveExprs() without scalar expressions
  int64_t position(const Expr* expr) const;           // the index in liveExprs(); -1 for dead code
  std::vector<Expr*> inTopologicalOrder(std::vector<Expr*> exprs) const;

 private:
  const SegmentData& data_;
};

}  // namespace fuser
