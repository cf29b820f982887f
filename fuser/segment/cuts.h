#pragma once
// Cuts: the places where a fusion must not be merged: at a segment_set that separates two parts of the fusion, and at
// inputs that a scheduler must find in memory.

#include "fuser/segment/scheduler_answers.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/support/disjoint_sets.h"

namespace fuser {

// Parts: what is left connected when the fusion's tensor expressions are cut at every segment_set and every required
// input. A segment_set inside one part (another path goes round it) is no cut: it may end inside a group, as a plain
// set.
class Cuts {
 public:
  Cuts(const SegmentedFusion& segmented, const SchedulerAnswers& answers);

  // Whether the value may not pass from its definition to this reader within one group.
  bool isCut(const Val* val, const Expr* reader) const;
  // The same for all readers in the edge's group.
  bool isCut(const SegmentedFusion& segmented, const SegmentedEdge& edge) const;

  // "a segment_set stands between two parts", …; of an edge that is cut.
  std::string whyCut(const SegmentedFusion& segmented, const SegmentedEdge& edge) const;

  // The tensor expressions of each part, both in topological order.
  const std::vector<std::vector<Expr*>>& parts() const { return parts_; }
  // Whether there is a cut at all.
  bool any() const { return any_; }

 private:
  const Expr* firstCutReader(const SegmentedFusion& segmented, const SegmentedEdge& edge) const;

  const SchedulerAnswers& answers_;
  mutable DisjointSets partOf_;  // over expression ids; look-ups shorten its paths
  std::vector<std::vector<Expr*>> parts_;
  bool any_ = false;
};

}  // namespace fuser
