#pragma once
// GroupOrder: a topological order of the groups that is maintained across merges, so that "would this merge create a
// cycle?" only searches the groups positioned between the two, not the whole graph. This is the algorithm of Pearce and
// Kelly, "A dynamic topological sort algorithm for directed acyclic graphs" (2007): a merge reassigns only the
// positions of the groups that the search visited.

#include <cstdint>
#include <optional>
#include <vector>

#include "fuser/segment/segmented_fusion.h"

namespace fuser {

class GroupOrder {
 public:
  // segmented.groups() must be in topological order, as after sortGroups(). Call merged() after each merge. After any
  // other edit the order is invalid and must be built again.
  explicit GroupOrder(const SegmentedFusion& segmented);

  // A merge that keeps the graph acyclic, and the groups whose positions it changes.
  struct Merge {
    SegmentedGroup* earlier;
    SegmentedGroup* later;
    std::vector<SegmentedGroup*> before;  // ancestors of `later` positioned between the two
    std::vector<SegmentedGroup*> after;   // descendants of `earlier` positioned between the two
  };
  // nullopt if the merge would create a cycle: a path leads from one group to the other through a third one.
  std::optional<Merge> tryMerge(SegmentedGroup* a, SegmentedGroup* b);
  // The inner groups of some path from one to the other; empty if there is no path, or none longer than an edge.
  std::vector<SegmentedGroup*> pathBetween(SegmentedGroup* a, SegmentedGroup* b);
  // All groups on any path from one to the other, including both, in order; nullopt if there is no path, or the search
  // would visit more than `limit` groups.
  std::optional<std::vector<SegmentedGroup*>> allBetween(SegmentedGroup* a, SegmentedGroup* b, size_t limit);
  // Updates the order after the two groups were merged into `merged`, which is one of them.
  void merged(const Merge& merge, const SegmentedGroup* merged);

  int64_t position(const SegmentedGroup* group) const { return position_.at(group->id()); }
  // Sorts groups by position.
  std::vector<SegmentedGroup*> sorted(std::vector<SegmentedGroup*> groups) const;

 private:
  std::vector<int64_t> position_;  // by group id; distinct
  std::vector<uint64_t> visited_;  // by group id: the last search (visit_) that reached the group
  uint64_t visit_ = 0;
};

}  // namespace fuser
