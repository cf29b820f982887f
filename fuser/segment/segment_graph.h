#pragma once
// SegmentGraph: a segmentation, for reading: a partition of a fusion's live expressions into groups, each run on its
// own (a kernel, or a host step), with an edge for every value that crosses from one group to another. A cheap
// expression may be privatised: then every group that reads its result computes it too, and no edge carries it.

#include <span>

#include "fuser/segment/segmented_group.h"

namespace fuser {

struct SegmentData;

class SegmentGraph {
 public:
  // Of data that outlives this.
  explicit SegmentGraph(const SegmentData& data) : data_(data) {}

  const Fusion& completeFusion() const;
  // Live groups; in topological order once finalised (ties: host scalars, then the group whose first own expression
  // comes first).
  const std::vector<SegmentedGroup*>& groups() const;
  // Connected edges in order of creation.
  std::vector<SegmentedEdgePtr> edges() const;
  // In both directions, in order of creation. CheckError for a group of another segmentation.
  std::vector<SegmentedEdgePtr> getEdgesBetween(const SegmentedGroup* a, const SegmentedGroup* b) const;
  // segment_sets that separate two groups, and those that lie inside one as a plain set.
  size_t cutSegmentSets() const;
  size_t uncutSegmentSets() const;

  // --- the value-based view: follows from the groups' expressions alone, never from the edges ---
  // The group that makes the value; null for inputs, literals, and values whose expression is in no group.
  SegmentedGroup* producerOf(const Val* val) const;
  // Of a privatised expression: the group that counts as its own in the partition; the others hold copies.
  SegmentedGroup* groupOf(const Expr* expr) const;
  // All that compute the expression: its own group first.
  std::vector<SegmentedGroup*> groupsOf(const Expr* expr) const;
  bool computes(const SegmentedGroup* group, const Expr* expr) const;
  bool isPrivatized(const Expr* expr) const;  // several groups compute it
  // The groups that read the value, its producer too where it reads it; in order of the first reader.
  std::vector<SegmentedGroup*> consumersOf(const Val* val) const;
  // Whether the group reads the value, which some expression makes, and does not compute it: what an edge stands for.
  bool readsFromOutside(const SegmentedGroup* group, const Val* val) const;
  // What an expression needs beside its own results: operands, then scalars that the extents of its shape attribute,
  // operands and results name. Literals are left out. `size` reads an extent: its tensor is neither read nor an input,
  // so that host scalars never wait for tensors.
  std::span<Val* const> reads(const Expr* expr) const;
  // In the order of liveExprs().
  std::span<Expr* const> readers(const Val* val) const;
  // Boundary of any set of this fusion's expressions, in the order that SegmentedGroup::inputs() describes.
  std::vector<Val*> inputsOf(const std::vector<Expr*>& exprs) const;
  std::vector<Val*> outputsOf(const std::vector<Expr*>& exprs) const;
  // Expressions that a fusion output needs, in topological order. These are what groups partition. The order follows
  // from the outputs alone, not from ids: it is the same for every order in which independent expressions were built.
  const std::vector<Expr*>& liveExprs() const;
  const std::vector<Expr*>& liveTensorExprs() const;  // the same without the scalar ones
  int64_t position(const Expr* expr) const;  // in liveExprs(); -1 for dead code
  std::vector<Expr*> inTopologicalOrder(std::vector<Expr*> exprs) const;

 private:
  const SegmentData& data_;
};

}  // namespace fuser
