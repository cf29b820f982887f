#pragma once
// The merging phase: its state, and its steps in their order: whole parts (top-down), forwarding and privatisation, the
// rules of merge_rules.def, privatisation undone where it did not pay.

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

// Merger: what the rules share: whether two groups may be one, and which pairs were refused already. Schedulers and
// cuts decide, or a custom predicate alone.
class Merger {
 public:
  Merger(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts);
  Merger(SegmentedFusion& segmented, const SegmentCandidateFinderOptions& options);

  SegmentedFusion& segmented() { return segmented_; }
  // By the groups' topological order: kept over merge(); asked for anew after mergeAcyclic() and after noteEdits().
  GroupOrder& order();
  // Others have edited the segmentation.
  void noteEdits() { order_.reset(); }
  // Tensor groups that are not settled, in topological order.
  std::vector<SegmentedGroup*> openGroups();
  bool isOpen(const SegmentedGroup* group) const;
  // A live group of tensor expressions, settled or not: such groups may merge side by side.
  static bool mayHaveSiblings(const SegmentedGroup* group) { return group->isLive() && !group->isScalarGroup(); }

  // Empty when these groups may be one as far as cuts and schedulers (or the predicate, for two) are concerned; else
  // why not. Whether the graph stays acyclic is another question.
  std::string whyNotTogether(const std::vector<SegmentedGroup*>& groups);
  // Merges the two where everything allows it, acyclicity included. A pair that was refused is not asked about again
  // before one of the two has grown.
  bool tryMerge(SegmentedGroup* a, SegmentedGroup* b);
  // The same for pairs whose merge is known to keep the graph acyclic: asks; and merges what was asked about.
  bool mayMergeAcyclic(SegmentedGroup* producer, SegmentedGroup* consumer);
  void mergeAcyclic(SegmentedGroup* producer, SegmentedGroup* consumer);
  // Several groups in topological order, all that lie on any path between them included.
  bool tryMergeAll(const std::vector<SegmentedGroup*>& groups);
  // The scheduler type of a group as it is; None under a predicate.
  SchedulerType typeOf(const SegmentedGroup* group);

  size_t merges() const { return merges_; }

 private:
  // Refused at these sizes of the two.
  struct Refusal {
    size_t exprsOfFirst;
    size_t exprsOfSecond;
  };
  static uint64_t pairOf(const SegmentedGroup* a, const SegmentedGroup* b);
  bool wasRefused(const SegmentedGroup* a, const SegmentedGroup* b) const;
  void refuse(const SegmentedGroup* a, const SegmentedGroup* b);
  SegmentedGroup* mergeTwo(SegmentedGroup* a, SegmentedGroup* b);
  bool isSettled(const SegmentedGroup* group) const;
  void markSettled(const SegmentedGroup* group);

  SegmentedFusion& segmented_;
  SchedulerAnswers* answers_ = nullptr;  // null under a custom predicate
  const Cuts* cuts_ = nullptr;           // the same
  const SegmentCandidateFinderOptions* options_ = nullptr;
  std::optional<GroupOrder> order_;
  std::unordered_map<uint64_t, Refusal> refused_;  // by pair of ids, the smaller one first; look-ups only
  std::vector<bool> settled_;                      // by group id
  size_t merges_ = 0;
};

// --- merge_top_down.cpp ---
// Before: one group an expression (and any scalar groups), in topological order. After: the whole of the tensor
// expressions is one group where some scheduler takes it and nothing cuts it; otherwise so is each piece between cuts
// that some scheduler takes whole. What was taken is settled: no later step asks about it again or takes it apart; the
// one thing that may still happen to it is a merge with a group beside it (siblings, reductions of one signature). The
// other expressions are as before; the groups are in topological order.
void mergeTopDown(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts, SegmentCounters& counters);

// --- forward_inputs.cpp ---
// Before: one group an expression, but for what is settled. After: a chain of unary ops on an input of the fusion, each
// the only reader of the one before, up to an op with several operands or an output of the fusion, belongs to the
// groups that read its end: every one computes it from the input, and the chain is no group of its own.
size_t forwardInputs(SegmentedFusion& segmented, SchedulerAnswers& answers);

// --- privatize.cpp ---
// Before: as forwardInputs leaves it. After: cheap expressions (casts, squeezes and the like) with several readers are
// in the groups of all readers. Gives them, in topological order.
std::vector<Expr*> privatizeCheapProducers(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts);
// Before: merging is done. After: of these, those whose copies cost more memory traffic than storing the result once
// does are computed once, by the group that makes their operand.
struct Undone {
  size_t unpaid = 0;
  size_t merged = 0;  // left alone: all readers had become one group
};
Undone undoUnpaidPrivatizations(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts,
                                const std::vector<Expr*>& exprs);

// --- narrow_boundaries.cpp ---
// Before: merging is done. After: a value that crosses between groups that are not settled, and is read outside by
// casts to one narrower type alone, crosses as that type, where schedulers take the groups as they become; a value that
// is an exact widening crosses as what it was widened from. Bit-exact. How many values changed. (Over a segment_set:
// see Cuts.)
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
// The rules of merge_rules.def, or the loop's alone. Gives the merges by rule, in the rules' order.
std::vector<size_t> runMergeRules(Merger& merger, bool loopAlone);

// Of the readers of one tensor, each is tried with this many next ones: all pairs would be quadratic.
constexpr size_t kSiblingWindow = 8;
// Of the reductions of one signature, the same.
constexpr size_t kReductionWindow = 4;
// Reductions that keep and reduce the same extents in the same order: classes in the order of their first one, each in
// topological order.
std::vector<std::vector<Expr*>> reductionsBySignature(const SegmentedFusion& segmented);

#define RULE(NAME, KIND, SUMMARY, FILE) void run##NAME(Merger& merger);
#include "fuser/segment/merge_rules.def"
#undef RULE

}  // namespace fuser
