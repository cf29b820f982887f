#pragma once
// EdgeLists: owns the edges between the groups of a segmentation. Only this class writes the groups' edge lists.

#include <deque>

#include "fuser/segment/segmented_group.h"

namespace fuser {

// Each function validates its arguments before it changes anything (CheckError). Callers check that an edge matches
// what the groups' expressions read (group_edits.h). Every list is in order of creation, which is the order of ids.
class EdgeLists {
 public:
  EdgeLists() = default;
  // Disconnects the edges that others still hold, removed ones too: their groups die with the lists.
  ~EdgeLists();
  EdgeLists(const EdgeLists&) = delete;
  EdgeLists& operator=(const EdgeLists&) = delete;

  // Adds a group and returns its edge lists, at a stable address. Groups are added in order of their ids.
  const GroupEdges& addGroup(uint32_t group);

  // Returns the edge, creating it if necessary; edges are never duplicated.
  SegmentedEdgePtr connect(SegmentedGroup* from, SegmentedGroup* to, Val* val);
  // Removes every edge between the two, in both directions.
  void disconnect(SegmentedGroup* a, SegmentedGroup* b);
  void remove(const SegmentedEdgePtr& edge);
  // Adds an edge without any check, for segmentations that may be invalid (unchecked_segments.h).
  SegmentedEdgePtr addUnchecked(SegmentedGroup* from, SegmentedGroup* to, Val* val);
  // The edges between two groups, in both directions.
  std::vector<SegmentedEdgePtr> between(const SegmentedGroup* a, const SegmentedGroup* b) const;
  std::vector<SegmentedEdgePtr> all() const;

 private:
  class OwnedEdge;
  const std::shared_ptr<OwnedEdge>* find(const SegmentedEdgePtr& edge) const;

  std::vector<std::shared_ptr<OwnedEdge>> edges_;  // by id; null for removed edges
  std::vector<std::weak_ptr<OwnedEdge>> removed_;
  std::deque<GroupEdges> lists_;  // by group id
};

}  // namespace fuser
