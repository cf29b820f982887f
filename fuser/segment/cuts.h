#pragma once
// Cuts: the def-use edges across which groups must not merge: at a segment_set that separates two parts of the fusion,
// and at operands that a scheduler must read from memory.
//
// With narrowing, the cut at a segment_set moves behind the casts that read it, so that the narrower type crosses:
//   e = segment_set(b) | h = cast(e) {bf16} y(h)    =>    e = segment_set(b) h = cast(e) {bf16} | y(h)
// Conditions: all readers of the value are casts to one narrower type, their results together are no larger than the
// value, the readers of the casts stay one part, and a scheduler accepts the casts in the segment_set's group. This is
// bit-exact, because the readers would have rounded the value anyway.

#include "fuser/segment/scheduler_answers.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/support/disjoint_sets.h"

namespace fuser {

// Whether the expression is a cast to a smaller type. A value read only through such casts may cross in that type.
bool isNarrowingCast(const Expr* expr);

// Parts are the connected components of the tensor expressions after removing the edges at every segment_set and every
// required input. A segment_set whose two sides are in one part, because another path connects them, is not a cut: it
// may become a plain set inside a group.
class Cuts {
 public:
  Cuts(const SegmentedFusion& segmented, SchedulerAnswers& answers, bool narrowing);

  // Whether the value's definition and this reader must be in different groups.
  bool isCut(const Val* val, const Expr* reader) const;
  // The same for an edge: true if it is cut for any reader in the edge's consumer group.
  bool isCut(const SegmentedFusion& segmented, const SegmentedEdge& edge) const;

  // The reason why an edge is cut, for messages. A CheckError for an edge that is not cut.
  std::string whyCut(const SegmentedFusion& segmented, const SegmentedEdge& edge) const;

  // The tensor expressions of each part, both in topological order.
  const std::vector<std::vector<Expr*>>& parts() const { return parts_; }
  // Whether the fusion has any cut.
  bool any() const { return any_; }
  // The number of segment_sets whose cut moved behind casts.
  size_t narrowed() const { return narrowed_; }

 private:
  void findParts(const SegmentedFusion& segmented);
  bool endsPart(const Val* val) const;
  std::vector<Expr*> castsBeforeCut(const SegmentedFusion& segmented, SchedulerAnswers& answers, const Expr* set) const;
  bool areReadInOnePart(const SegmentedFusion& segmented, const std::vector<Expr*>& casts) const;
  const Expr* firstCutReader(const SegmentedFusion& segmented, const SegmentedEdge& edge) const;

  const SchedulerAnswers& answers_;
  mutable DisjointSets partOf_;  // over expression ids; mutable, because find() halves paths
  std::vector<std::vector<Expr*>> parts_;
  bool any_ = false;
  enum class Moved : uint8_t { No, SetBeforeCasts, CastBeforeCut };
  std::vector<Moved> moved_;  // by expression id
  size_t narrowed_ = 0;
};

}  // namespace fuser
