// The state of the merging phase, and the loop over its rules.

#include "fuser/segment/merging.h"

#include <algorithm>

namespace fuser {

namespace {

constexpr MergeRule kRules[] = {
#define RULE(NAME, KIND, SUMMARY, FILE) {#NAME, RuleKind::KIND, SUMMARY, FILE, &run##NAME},
#include "fuser/segment/merge_rules.def"
#undef RULE
};

}  // namespace

Merger::Merger(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts, MayMerge alsoMayMerge)
    : segmented_(segmented), answers_(&answers), cuts_(&cuts), alsoMayMerge_(std::move(alsoMayMerge)) {
  for (const SegmentedGroup* group : segmented.groups()) {
    markSettled(group, isWholeBetweenCuts(group));
  }
}

Merger::Merger(SegmentedFusion& segmented, const SegmentCandidateFinderOptions& options)
    : segmented_(segmented), options_(&options) {
  segmented_.finalize();  // predicates look at inputs and outputs
}

bool Merger::isWholeBetweenCuts(const SegmentedGroup* group) const {
  const auto ends = [&](const SegmentedEdgePtr& edge) {
    return !edge->val()->isTensor() || cuts_->isCut(segmented_, *edge);
  };
  const std::vector<Expr*>& exprs = group->exprs();
  return std::all_of(exprs.begin(), exprs.end(), [&](const Expr* expr) { return answers_->isSettled(expr); }) &&
         std::all_of(group->producerEdges().begin(), group->producerEdges().end(), ends) &&
         std::all_of(group->consumerEdges().begin(), group->consumerEdges().end(), ends);
}

GroupOrder& Merger::order() {
  if (!order_) {
    segmented_.sortGroups();
    order_.emplace(segmented_);
  }
  return *order_;
}

bool Merger::isOpen(const SegmentedGroup* group) const { return mayHaveSiblings(group) && !isSettled(group); }

bool Merger::isSettled(const SegmentedGroup* group) const {
  return group->id() < settled_.size() && settled_[group->id()];
}

void Merger::markSettled(const SegmentedGroup* group, bool settled) {
  if (group->id() >= settled_.size()) settled_.resize(group->id() + 1, false);
  settled_[group->id()] = settled;
}

SegmentedGroup* Merger::mergeTwo(SegmentedGroup* a, SegmentedGroup* b) {
  // Beside a settled group, one that top-down refused still has edges to merge along.
  const bool settled = isSettled(a) && isSettled(b);
  SegmentedGroup* merged = segmented_.mergeGroups(a, b);
  ++merges_;
  if (settled) answers_->settle(merged->exprs());
  markSettled(merged, settled);
  if (options_) segmented_.refreshBoundary(merged);
  return merged;
}

std::vector<SegmentedGroup*> Merger::openGroups() {
  GroupOrder& order = this->order();
  std::vector<SegmentedGroup*> groups;
  for (SegmentedGroup* group : segmented_.groups()) {
    if (isOpen(group)) groups.push_back(group);
  }
  return order.sorted(std::move(groups));
}

uint64_t Merger::pairOf(const SegmentedGroup* a, const SegmentedGroup* b) {
  const auto [low, high] = std::minmax({a->id(), b->id()});  // of copies: id() gives no reference that lasts
  return uint64_t{low} << 32 | high;
}

bool Merger::wasRefused(const SegmentedGroup* a, const SegmentedGroup* b) const {
  const auto found = refused_.find(pairOf(a, b));
  if (a->id() > b->id()) std::swap(a, b);
  return found != refused_.end() && found->second.exprsOfFirst == a->exprs().size() &&
         found->second.exprsOfSecond == b->exprs().size();
}

void Merger::refuse(const SegmentedGroup* a, const SegmentedGroup* b) {
  if (a->id() > b->id()) std::swap(a, b);
  refused_[pairOf(a, b)] = {a->exprs().size(), b->exprs().size()};
}

std::string Merger::whyNotTogether(const std::vector<SegmentedGroup*>& groups) {
  if (options_) {
    FUSER_CHECK(groups.size() == 2, "a predicate is asked about pairs");
    return options_->custom_should_merge_groups(groups[0], groups[1]) ? "" : "the custom predicate keeps them apart";
  }
  std::vector<Expr*> all;
  for (const SegmentedGroup* group : groups) all.insert(all.end(), group->exprs().begin(), group->exprs().end());
  for (const SegmentedGroup* group : groups) {
    for (const SegmentedEdgePtr& edge : group->producerEdges()) {
      const bool inside = std::find(groups.begin(), groups.end(), edge->from()) != groups.end();
      if (!inside || !cuts_->isCut(segmented_, *edge)) continue;
      return concat("%", edge->val()->name(), " is cut: ", cuts_->whyCut(segmented_, *edge));
    }
  }
  for (size_t i = 0; alsoMayMerge_ && i < groups.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!alsoMayMerge_(groups[j], groups[i])) return "they are no body of the host program";
    }
  }
  return answers_->ask(all).reason;
}

bool Merger::tryMerge(SegmentedGroup* a, SegmentedGroup* b) {
  if (wasRefused(a, b)) return false;
  const std::optional<GroupOrder::Merge> merge = order().tryMerge(a, b);
  if (!merge) return false;  // another merge may take the third group out of the way
  if (!whyNotTogether({merge->earlier, merge->later}).empty()) {
    refuse(a, b);
    return false;
  }
  order_->merged(*merge, mergeTwo(merge->earlier, merge->later));
  return true;
}

bool Merger::mayMergeAcyclic(SegmentedGroup* producer, SegmentedGroup* consumer) {
  if (wasRefused(producer, consumer)) return false;
  const bool may = whyNotTogether({producer, consumer}).empty();
  if (!may) refuse(producer, consumer);
  return may;
}

void Merger::mergeAcyclic(SegmentedGroup* producer, SegmentedGroup* consumer) {
  order_.reset();
  mergeTwo(producer, consumer);
}

bool Merger::tryMergeAll(const std::vector<SegmentedGroup*>& groups) {
  if (!whyNotTogether(groups).empty()) return false;
  // In topological order, the groups between those merged so far and the next one are merged already.
  SegmentedGroup* merged = groups.front();
  for (size_t i = 1; i < groups.size(); ++i) {
    const std::optional<GroupOrder::Merge> merge = order().tryMerge(merged, groups[i]);
    FUSER_CHECK(merge, "a group between two that merge was left out");
    merged = mergeTwo(merge->earlier, merge->later);
    order_->merged(*merge, merged);
  }
  return true;
}

SchedulerType Merger::typeOf(const SegmentedGroup* group) {
  return options_ ? SchedulerType::None : answers_->ask(group->exprs()).type;
}

std::span<const MergeRule> mergeRules() { return kRules; }

std::vector<size_t> runMergeRules(Merger& merger, bool loopAlone) {
  std::vector<size_t> merges(std::size(kRules), 0);
  const auto runAll = [&](RuleKind kind) {
    const size_t before = merger.merges();
    for (size_t i = 0; i < std::size(kRules); ++i) {
      if (kRules[i].kind != kind) continue;
      const size_t start = merger.merges();
      kRules[i].run(merger);
      merges[i] += merger.merges() - start;
    }
    return merger.merges() != before;
  };
  if (!loopAlone) runAll(RuleKind::Once);
  while (runAll(RuleKind::Loop)) {
  }
  return merges;
}

}  // namespace fuser
