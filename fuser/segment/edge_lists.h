#pragma once
// EdgeLists: the edges between the groups of a SegmentedFusion, and the only code that writes a group's edge lists.

#include "fuser/segment/segmented_fusion.h"

namespace fuser {

// See SegmentedFusion, which hands its four edge functions on to these. Whether an edge agrees with what the groups'
// expressions read is checked there. Every list is in order of creation, so by id.
class EdgeLists {
 public:
  // From a group's constructor: its lists, which these EdgeLists write from now on. Groups come in order of their ids.
  void adopt(uint32_t group, GroupEdges& lists);

  SegmentedEdgePtr connect(SegmentedGroup* from, SegmentedGroup* to, Val* val);
  void disconnect(SegmentedGroup* a, SegmentedGroup* b);
  void remove(const SegmentedEdgePtr& edge);
  // Whether it makes sense or not: for what somebody told.
  SegmentedEdgePtr addUnchecked(SegmentedGroup* from, SegmentedGroup* to, Val* val);
  std::vector<SegmentedEdgePtr> between(const SegmentedGroup* a, const SegmentedGroup* b) const;
  std::vector<SegmentedEdgePtr> all() const;

 private:
  class OwnedEdge;
  const std::shared_ptr<OwnedEdge>* find(const SegmentedEdgePtr& edge) const;

  std::vector<std::shared_ptr<OwnedEdge>> edges_;  // by id; null where the edge was removed
  std::vector<GroupEdges*> lists_;                 // by group id
};

}  // namespace fuser
