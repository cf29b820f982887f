#pragma once
// GroupOrder: a topological order of the groups, kept up to date over merges, so that the question "would this merge
// make a cycle?" is a search inside the window between the two groups and not over the whole graph. After Pearce and
// Kelly, "A dynamic topological sort algorithm for directed acyclic graphs" (2007): only the positions of the groups
// that the search met are dealt out anew.

#include <cstdint>
#include <optional>
#include <vector>

#include "fuser/segment/segmented_fusion.h"

namespace fuser {

class GroupOrder {
 public:
  // The groups must be in a topological order in segmented.groups(), as sortGroups() leaves them. It knows the groups
  // that are there now, and of their edits merges alone, by merged(): after any other edit it is made anew.
  explicit GroupOrder(const SegmentedFusion& segmented);

  // A merge that keeps the graph acyclic, and what has to move for it.
  struct Merge {
    SegmentedGroup* earlier;
    SegmentedGroup* later;
    std::vector<SegmentedGroup*> before;  // between the two, needed by the later one
    std::vector<SegmentedGroup*> after;   // between the two, needing the earlier one
  };
  // Nullopt when a path leads from one to the other through a third group.
  std::optional<Merge> tryMerge(SegmentedGroup* a, SegmentedGroup* b);
  // Groups on a path from one to the other, their ends left out; empty when the only paths are edges or there is none.
  std::vector<SegmentedGroup*> pathBetween(SegmentedGroup* a, SegmentedGroup* b);
  // Every group on any path from one to the other, both included, by position; nullopt when there is no path, or more
  // than `limit` groups would have to be looked at.
  std::optional<std::vector<SegmentedGroup*>> allBetween(SegmentedGroup* a, SegmentedGroup* b, size_t limit);
  // After the two were merged into `merged`, one of them.
  void merged(const Merge& merge, const SegmentedGroup* merged);

  int64_t position(const SegmentedGroup* group) const { return position_.at(group->id()); }
  // By position.
  std::vector<SegmentedGroup*> sorted(std::vector<SegmentedGroup*> groups) const;

 private:
  std::vector<int64_t> position_;  // by group id; all different
  std::vector<uint64_t> visited_;  // by group id
  uint64_t visit_ = 0;
};

}  // namespace fuser
