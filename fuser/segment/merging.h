#pragma once
// The merging phase of the segmenter: the shared state (Merger), then the steps in order: whole parts (top-down),
// forwarding, privatization, the rules of merge_rules.def, undoing privatization that did not pay, narrowing.

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "fuser/analysis/segment_decisions.h"
#include "fuser/segment/cuts.h"
#include "fuser/segment/group_order.h"
#include "fuser/segment/scheduler_answers.h"
#include "fuser/segment/segment_candidate_finder.h"

namespace fuser {

// Merger: decides for the merge rules whether two groups may merge, and remembers refused pairs. The schedulers and the
// cuts decide; a custom predicate, if set, replaces both.
class Merger {
 public:
  using MayMerge = std::function<bool(const SegmentedGroup*, const SegmentedGroup*)>;
  // alsoMayMerge: one more condition on pairs; may be empty.
  Merger(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts, MayMerge alsoMayMerge = {});
  Merger(SegmentedFusion& segmented, const SegmentCandidateFinderOptions& options);

  SegmentedFusion& segmented() { return segmented_; }
  // The groups' topological order. tryMerge() maintains it; it is built again after mergeAcyclic() and noteEdits().
  GroupOrder& order();
  // Call this after other code has edited the segmentation.
  void noteEdits() { order_.reset(); }
  // The tensor groups that are not settled, in topological order. A group is settled if top-down accepted all of it and
  // each tensor that crosses its boundary is cut: nothing is left to merge along its edges.
  std::vector<SegmentedGroup*> openGroups();
  bool isOpen(const SegmentedGroup* group) const;
  // Whether the group is a live tensor group, settled or not; such groups may merge with siblings.
  static bool mayHaveSiblings(const SegmentedGroup* group) { return group->isLive() && !group->isScalarGroup(); }

  // The reason why cuts or schedulers (or the predicate, for two groups) do not allow a merge; empty if they do. Does
  // not check that the graph stays acyclic.
  std::string whyNotTogether(const std::vector<SegmentedGroup*>& groups);
  // Merges the two if everything allows it, including acyclicity; true on success. A refused pair is not tried again
  // until one of the two has grown.
  bool tryMerge(SegmentedGroup* a, SegmentedGroup* b);
  // tryMerge() in two steps, for pairs whose merge is known to keep the graph acyclic: the check, then the merge.
  bool mayMergeAcyclic(SegmentedGroup* producer, SegmentedGroup* consumer);
  void mergeAcyclic(SegmentedGroup* producer, SegmentedGroup* consumer);
  // Merges several groups, given in topological order with all groups on any path between them.
  bool tryMergeAll(const std::vector<SegmentedGroup*>& groups);
  // The scheduler that accepts the group now; None under a custom predicate.
  SchedulerType typeOf(const SegmentedGroup* group);

  size_t merges() const { return merges_; }

 private:
  // The sizes of the two groups when they were refused.
  struct Refusal {
    size_t exprsOfFirst;
    size_t exprsOfSecond;
  };
  static uint64_t pairOf(const SegmentedGroup* a, const SegmentedGroup* b);
  bool wasRefused(const SegmentedGroup* a, const SegmentedGroup* b) const;
  void refuse(const SegmentedGroup* a, const SegmentedGroup* b);
  SegmentedGroup* mergeTwo(SegmentedGroup* a, SegmentedGroup* b);
  bool isWholeBetweenCuts(const SegmentedGroup* group) const;
  bool isSettled(const SegmentedGroup* group) const;
  void markSettled(const SegmentedGroup* group, bool settled);

  SegmentedFusion& segmented_;
  SchedulerAnswers* answers_ = nullptr;  // null under a custom predicate
  const Cuts* cuts_ = nullptr;           // null under a custom predicate
  MayMerge alsoMayMerge_;
  const SegmentCandidateFinderOptions* options_ = nullptr;
  std::optional<GroupOrder> order_;
  std::unordered_map<uint64_t, Refusal> refused_;  // by pair of ids, the smaller one first; for lookups only
  std::vector<bool> settled_;                      // by group id
  size_t merges_ = 0;
};

// --- merge_top_down.cpp ---
// Before: one group per expression (and any scalar groups), in topological order. After: all tensor expressions are one
// group if nothing cuts them and a scheduler accepts them; otherwise each piece between cuts that a scheduler accepts
// as a whole is one group. Such a piece is settled: later steps neither ask about it alone nor split it. Where all
// tensors that cross its boundary are cut, it may only merge with a sibling (readers of one tensor, reductions of one
// signature); together with a sibling that is not settled it is a group like any other. Other expressions are
// unchanged; the groups are in topological order.
void mergeTopDown(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts, SegmentCounters& counters);

// --- forward_inputs.cpp ---
// Before: one group per expression, except settled ones. After: each chain of unary ops on a fusion input is computed
// by every group that reads the chain's result, and is not a group of its own (nvFuser forwards inputs likewise). In a
// chain, each op is the only reader of the one before; it ends before an op with several operands or a fusion output.
size_t forwardInputs(SegmentedFusion& segmented, SchedulerAnswers& answers);

// --- privatize.cpp ---
// Before: the state after forwardInputs. After: cheap expressions (such as casts and squeezes) with several readers are
// copied into the groups of all readers. Returns them in topological order.
std::vector<Expr*> privatizeCheapProducers(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts);
// Before: merging is done. After: each of `exprs` whose copies cost more memory traffic than storing the result once is
// computed once, by the group that computes its operand.
struct UndoneCounts {
  size_t unpaid = 0;  // computed once again
  size_t merged = 0;  // skipped, because all readers had become one group
};
UndoneCounts undoUnpaidPrivatizations(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts,
                                      const std::vector<Expr*>& exprs);

// --- narrow_boundaries.cpp ---
// Before: merging is done. After: a value between unsettled groups that is read outside only by casts to one narrower
// type crosses in that type; a value that is an exact widening crosses before it is widened. Schedulers must accept the
// changed groups. Bit-exact. Returns the number of values that now cross in another type. (Cuts handles the value of a
// segment_set.)
size_t narrowBoundaries(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts);

// --- merging.cpp, and a file for each line of merge_rules.def ---
enum class RuleKind : uint8_t { Once, Loop };
struct MergeRule {
  std::string_view name;
  RuleKind kind;
  std::string_view summary;
  std::string_view file;
  void (*run)(Merger& merger);
};
std::span<const MergeRule> mergeRules();
// Runs the rules of merge_rules.def, or only those of kind Loop. Returns the number of merges per rule, in list order.
std::vector<size_t> runMergeRules(Merger& merger, bool loopAlone);

// Each reader of a tensor is tried with this many of the next readers; trying all pairs would be quadratic.
constexpr size_t kSiblingWindow = 8;
// The same for reductions of one signature.
constexpr size_t kReductionWindow = 4;
// Groups the reductions by signature: the same extents kept and reduced in the same order. Classes are in order of
// their first reduction, each one in topological order.
std::vector<std::vector<Expr*>> reductionsBySignature(const SegmentedFusion& segmented);

#define RULE(NAME, KIND, SUMMARY, FILE) void run##NAME(Merger& merger);
#include "fuser/segment/merge_rules.def"
#undef RULE

}  // namespace fuser
