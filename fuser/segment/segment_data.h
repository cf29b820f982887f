#pragma once
// SegmentData: the mutable graph of a segmentation, for the code that edits it (group_edits.h, unchecked_segments.h).
// All other code reads it through SegmentGraph. Private to this folder.

#include <deque>

#include "fuser/segment/edge_lists.h"
#include "fuser/segment/value_view.h"

namespace fuser {

// A group with write access to everything except its edges.
class OwnedGroup : public SegmentedGroup {
 public:
  OwnedGroup(uint32_t id, bool scalar, const GroupEdges& edges) : SegmentedGroup(id, scalar, edges) {}
  size_t place = 0;      // its index in SegmentData::live, while it is live
  int64_t first = -1;    // the position of the first expression that it owns, the sort key; -1: not computed yet
  uint32_t merging = 0;  // a stamp, for temporary sets of groups
  using SegmentedGroup::exprs_;
  using SegmentedGroup::index_;
  using SegmentedGroup::inputs_;
  using SegmentedGroup::outputs_;
  using SegmentedGroup::referenceMap_;
  using SegmentedGroup::schedulerType_;
};

struct SegmentData {
  explicit SegmentData(const Fusion& fusion);

  struct OfExpr {
    OwnedGroup* group = nullptr;
    std::vector<SegmentedGroup*> copies;  // the groups that hold a private copy
  };
  // Temporary sets without clearing: an element is in the set if its stamp is `latest`.
  struct Stamps {
    std::vector<uint32_t> exprs;  // by expression id
    std::vector<uint32_t> vals;   // by value id
    uint32_t latest = 0;
  };

  // A CheckError for null or a group of another segmentation.
  void check(const SegmentedGroup* group) const;
  // The same group with write access, after check().
  OwnedGroup* owned(const SegmentedGroup* group);
  // Appends a live group of these expressions, without checks.
  OwnedGroup* addGroup(const std::vector<Expr*>& exprs);
  // Removes a group from `live` (the last one takes its index). The group stays readable.
  void bury(SegmentedGroup* group);

  const Fusion* fusion;
  ValueView values;
  EdgeLists edges;
  std::deque<OwnedGroup> groups;      // by id; keeps merged groups, so that removed edges stay readable
  std::vector<SegmentedGroup*> live;  // SegmentGraph::groups()
  std::vector<OfExpr> exprs;          // by expression id
  mutable Stamps stamps;
};

}  // namespace fuser
