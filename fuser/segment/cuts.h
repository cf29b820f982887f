#pragma once
// Cuts: the places where a fusion must not be merged: at a segment_set that separates two parts of the fusion, and at
// inputs that a scheduler must find in memory.
//
// With narrowing, the cut at a segment_set stands behind the casts that read it, where nothing else does, all round to
// one narrower type, all their results together are no larger than the value, and what reads them is one part all the
// same; schedulers are asked whether they take the casts with it. What crosses then has the bits that its readers would
// have rounded it to:
//   e = segment_set(b) | h = cast(e) {bf16} y(h)    =>    e = segment_set(b) h = cast(e) {bf16} | y(h)

#include "fuser/segment/scheduler_answers.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/support/disjoint_sets.h"

namespace fuser {

// A cast to a smaller type: what is read through such casts alone may cross in that type.
bool isNarrowingCast(const Expr* expr);

// Parts: what is left connected when the fusion's tensor expressions are cut at every segment_set and every required
// input. A segment_set inside one part (another path goes round it) is no cut: it may end inside a group, as a plain
// set.
class Cuts {
 public:
  Cuts(const SegmentedFusion& segmented, SchedulerAnswers& answers, bool narrowing);

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
  // Segment_sets whose cut stands behind casts.
  size_t narrowed() const { return narrowed_; }

 private:
  void findParts(const SegmentedFusion& segmented);
  bool endsPart(const Val* val) const;
  std::vector<Expr*> castsBeforeCut(const SegmentedFusion& segmented, SchedulerAnswers& answers, const Expr* set) const;
  bool areReadInOnePart(const SegmentedFusion& segmented, const std::vector<Expr*>& casts) const;
  const Expr* firstCutReader(const SegmentedFusion& segmented, const SegmentedEdge& edge) const;

  const SchedulerAnswers& answers_;
  mutable DisjointSets partOf_;  // over expression ids; look-ups shorten its paths
  std::vector<std::vector<Expr*>> parts_;
  bool any_ = false;
  enum class Moved : uint8_t { No, SetBeforeCasts, CastBeforeCut };
  std::vector<Moved> moved_;  // by expression id
  size_t narrowed_ = 0;
};

}  // namespace fuser
