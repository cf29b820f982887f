#pragma once
// EdgeLists: the edges between a segmentation's groups, and the only code that writes a group's edge lists.

#include <deque>

#include "fuser/segment/segmented_group.h"

namespace fuser {

// Each function validates before it changes anything (CheckError). Whether an edge agrees with what the groups'
// expressions read is checked by whoever asks for it (group_edits.h). Every list is in order of creation, so by id.
class EdgeLists {
 public:
  // The lists of a new group, for it to show; they stay where they are. Groups come in order of their ids.
  const GroupEdges& addGroup(uint32_t group);

  // An edge that is there already is returned, never doubled.
  SegmentedEdgePtr connect(SegmentedGroup* from, SegmentedGroup* to, Val* val);
  // Removes every edge between the two, in both directions.
  void disconnect(SegmentedGroup* a, SegmentedGroup* b);
  void remove(const SegmentedEdgePtr& edge);
  // Whether it makes sense or not: for what somebody told (told_segments.h).
  SegmentedEdgePtr addUnchecked(SegmentedGroup* from, SegmentedGroup* to, Val* val);
  // In both directions.
  std::vector<SegmentedEdgePtr> between(const SegmentedGroup* a, const SegmentedGroup* b) const;
  std::vector<SegmentedEdgePtr> all() const;

 private:
  class OwnedEdge;
  const std::shared_ptr<OwnedEdge>* find(const SegmentedEdgePtr& edge) const;

  std::vector<std::shared_ptr<OwnedEdge>> edges_;  // by id; null where the edge was removed
  std::deque<GroupEdges> lists_;                   // by group id
};

}  // namespace fuser
