#pragma once
// EdgeLists: the edges between the groups of a SegmentedFusion, and the only code that writes a group's edge lists.

#include "fuser/segment/segmented_fusion.h"

namespace fuser {

// See SegmentedFusion, which hands its four edge functions on to these. Whether an edge agrees with what the groups'
// expressions read is checked there.
class EdgeLists {
 public:
  SegmentedEdgePtr connect(SegmentedGroup* from, SegmentedGroup* to, Val* val);
  void disconnect(SegmentedGroup* a, SegmentedGroup* b);
  void remove(const SegmentedEdgePtr& edge);
  // Every edge at these groups, each returned, in time of their number and of the neighbours' lists.
  std::vector<SegmentedEdgePtr> removeAllAt(const std::vector<SegmentedGroup*>& groups);
  // Whether it makes sense or not: for SegmentedFusions that are damaged on purpose.
  void addUnchecked(SegmentedGroup* from, SegmentedGroup* to, Val* val);
  std::vector<SegmentedEdgePtr> between(const SegmentedGroup* a, const SegmentedGroup* b) const;
  std::vector<SegmentedEdgePtr> all() const;
  bool contains(const SegmentedEdgePtr& edge) const;

 private:
  std::vector<SegmentedEdgePtr> edges_;  // by id; null where the edge was removed
};

}  // namespace fuser
