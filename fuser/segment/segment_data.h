#pragma once
// SegmentData: the graph of a segmentation as plain data, for the code that writes it: SegmentedFusion's edits, and
// what builds one as told. Everybody else reads it through SegmentGraph. Not for use outside of this folder.

#include <deque>

#include "fuser/segment/edge_lists.h"
#include "fuser/segment/value_view.h"

namespace fuser {

// All of a group but its edges, for writing.
class OwnedGroup : public SegmentedGroup {
 public:
  OwnedGroup(uint32_t id, bool scalar, const GroupEdges& edges) : SegmentedGroup(id, scalar, edges) {}
  size_t place = 0;      // in SegmentData::live while it is live
  int64_t first = -1;    // the place of its first own expression, as groups are sorted by; -1: to be worked out
  uint32_t merging = 0;  // scratch for sets of groups: a stamp
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
    std::vector<SegmentedGroup*> copies;  // that compute it beside its own group
  };
  // Scratch for sets: whoever has the latest stamp is in the set.
  struct Stamps {
    std::vector<uint32_t> exprs;  // by expression id
    std::vector<uint32_t> vals;   // by value id
    uint32_t latest = 0;
  };

  // CheckError for null and for a group of another segmentation.
  void check(const SegmentedGroup* group) const;
  // The same group, for writing; checked.
  OwnedGroup* owned(const SegmentedGroup* group);
  // One more group, live and last, of these expressions; nothing is checked.
  OwnedGroup* addGroup(const std::vector<Expr*>& exprs);
  // It is live no more; the last live group takes its place. It stays readable.
  void bury(SegmentedGroup* group);

  const Fusion* fusion;
  ValueView values;
  EdgeLists edges;
  std::deque<OwnedGroup> groups;      // by id; merged ones stay, so that removed edges stay readable
  std::vector<SegmentedGroup*> live;  // SegmentGraph::groups()
  std::vector<OfExpr> exprs;          // by expression id
  mutable Stamps stamps;
};

}  // namespace fuser
