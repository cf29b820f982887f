#include "fuser/segment/segment_candidate_finder.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>

#include "fuser/analysis/compile_observer.h"
#include "fuser/segment/explain.h"
#include "fuser/segment/invariants.h"
#include "fuser/segment/merging.h"

namespace fuser {

namespace {

// Adds its own lifetime to the context's trace.
class StageTimer {
 public:
  StageTimer(const CompileContext& context, std::string name)
      : trace_(context.trace), name_(std::move(name)), start_(std::chrono::steady_clock::now()) {}
  ~StageTimer() {
    if (trace_) trace_->add(name_, std::chrono::steady_clock::now() - start_);
  }

 private:
  Trace* trace_;
  std::string name_;
  std::chrono::steady_clock::time_point start_;
};

class SegmentCandidateFinder {
 public:
  SegmentCandidateFinder(const Fusion& fusion, const CompileContext& context,
                         const SegmentCandidateFinderOptions& options)
      : context_(context),
        options_(options),
        segmented_(std::make_unique<SegmentedFusion>(fusion, context.checkInvariants)) {
    if (options_.custom_should_merge_groups) return;
    FUSER_CHECK(context.schedulers, "the segmenter asks schedulers");
    answers_.emplace(*segmented_, context, options_.why_not_a_group, options_.are_apart);
  }

  // The segmentation itself; then its kernels are counted.
  void run() {
    buildInitialGroups();
    mergeGroups();
    finalizeGroups();
    for (const SegmentedGroup* group : segmented_->groups()) {
      counters_.kernels += !group->isScalarGroup() && group->schedulerType() != SchedulerType::NoOp;
    }
  }

  size_t kernels() const { return counters_.kernels; }

  // Whether top-down merging took some of several parts whole. Then the kernels are those of a greedy search in another
  // order, and may be more than without it: a part that is taken may leave another one, which it could have merged
  // with.
  bool mixesDirections() const { return counters_.accepted > 0 && counters_.pieces > 1; }

  // Tells the observers what was decided, and hands the segmentation over.
  std::unique_ptr<SegmentedFusion> result() {
    report();
    return std::move(segmented_);
  }

 private:
  // Before: no groups. After: all live scalar expressions are one group, which depends on no other; each live tensor
  // expression is a group; every value that crosses has its edge; the groups are in topological order.
  void buildInitialGroups() {
    const StageTimer timer(context_, "segment.initial");
    std::vector<Expr*> scalars;
    if (segmented_->liveTensorExprs().size() < segmented_->liveExprs().size()) {
      std::copy_if(segmented_->liveExprs().begin(), segmented_->liveExprs().end(), std::back_inserter(scalars),
                   [](const Expr* expr) { return expr->isScalarExpr(); });
    }
    if (!scalars.empty()) segmented_->newGroup(scalars);
    for (Expr* expr : segmented_->liveTensorExprs()) segmented_->newGroup({expr});
    segmented_->connectCrossings();
    checkInvariants("the initial groups");
  }

  // Before: the state after buildInitialGroups. After: no two tensor groups with an edge between them may still merge
  // according to the graph and the schedulers (or the custom predicate). Scalar groups are unchanged;
  // several groups may compute copies of a cheap expression.
  void mergeGroups() {
    const StageTimer timer(context_, "segment.merge");
    if (options_.custom_should_merge_groups) {
      merger_.emplace(*segmented_, options_);
      countMerges(runMergeRules(*merger_, true));
      return;
    }
    cuts_.emplace(*segmented_, *answers_, options_.boundaryPrecision);
    counters_.narrowed = cuts_->narrowed();
    if (options_.topDown) mergeTopDown(*segmented_, *answers_, *cuts_, counters_);
    counters_.forwarded = forwardInputs(*segmented_, *answers_);
    const std::vector<Expr*> privatized = privatizeCheapProducers(*segmented_, *answers_, *cuts_);
    counters_.privatized = privatized.size();
    merger_.emplace(*segmented_, *answers_, *cuts_, options_.also_should_merge_groups);
    countMerges(runMergeRules(*merger_, false));
    const UndoneCounts undone = undoUnpaidPrivatizations(*segmented_, *answers_, *cuts_, privatized);
    counters_.privatizationsUndone = undone.unpaid;
    counters_.privatizationsMerged = undone.merged;
    if (undone.unpaid == 0) return;
    // Groups may merge once they have lost their copies.
    merger_->noteEdits();
    countMerges(runMergeRules(*merger_, true));
  }

  // Before: groups and edges are final, except for the types in which values cross. After: groups are sorted and
  // numbered, and have their inputs, outputs and scheduler.
  void finalizeGroups() {
    const StageTimer timer(context_, "segment.finalize");
    if (options_.boundaryPrecision && answers_) {
      counters_.narrowed += narrowBoundaries(*segmented_, *answers_, *cuts_);
    }
    segmented_->finalize();
    for (SegmentedGroup* group : segmented_->groups()) {
      resolveScalarsInGroup(group);
      segmented_->setScheduler(group, deriveScheduler(group));
    }
    checkInvariants("the final groups");
  }

  void countMerges(const std::vector<size_t>& merges) {
    if (counters_.merges.empty()) {
      for (const MergeRule& rule : mergeRules()) counters_.merges.emplace_back(rule.name, 0);
    }
    for (size_t i = 0; i < merges.size(); ++i) counters_.merges[i].second += merges[i];
  }

  class Decisions final : public SegmentDecisions {
   public:
    explicit Decisions(SegmentCandidateFinder& finder) : finder_(finder) {}
    const SegmentCounters& counters() const override { return finder_.counters_; }
    std::string explanation() const override { return finder_.explain(); }

   private:
    SegmentCandidateFinder& finder_;
  };

  void report() {
    if (context_.observers.empty()) return;
    counters_.exprs = segmented_->liveExprs().size();
    counters_.groups = segmented_->groups().size();
    // The questions asked for the segmentation itself; explanations ask more.
    counters_.questions = answers_ ? answers_->questions() : 0;
    counters_.questionsAboutSettled = answers_ ? answers_->questionsAboutSettled() : 0;
    counters_.cutSegmentSets = segmented_->cutSegmentSets();
    counters_.uncutSegmentSets = segmented_->uncutSegmentSets();
    const Decisions decisions(*this);
    for (CompileObserver* observer : context_.observers) observer->afterDecisions(decisions);
  }

  // The groups changed after the rules ran: privatization was undone, values were narrowed.
  std::string explain() {
    const bool predicate = static_cast<bool>(options_.custom_should_merge_groups);
    Merger merger = predicate ? Merger(*segmented_, options_)
                              : Merger(*segmented_, *answers_, *cuts_, options_.also_should_merge_groups);
    return explainSegments(merger);
  }

  // A tensor group gets host scalars as kernel arguments, along an edge from the scalar group; their expressions are
  // never copied into it.
  void resolveScalarsInGroup(const SegmentedGroup* group) const {
    for (const Val* input : group->inputs()) {
      if (input->isTensor() || !input->definition()) continue;
      const SegmentedGroup* from = segmented_->producerOf(input);
      FUSER_CHECK(from && from->isScalarGroup(), "host scalar %", input->name(), " is computed in no scalar group");
      const std::vector<SegmentedEdgePtr> edges = segmented_->getEdgesBetween(from, group);
      const bool connected =
          std::any_of(edges.begin(), edges.end(), [&](const SegmentedEdgePtr& edge) { return edge->val() == input; });
      FUSER_CHECK(connected, "host scalar %", input->name(), " reaches group ", group->index(), " without an edge");
    }
  }

  SchedulerAnswer deriveScheduler(const SegmentedGroup* group) {
    if (options_.custom_should_merge_groups) {
      return {group->isScalarGroup() ? SchedulerType::ExprEval : SchedulerType::None, ""};
    }
    const SchedulerAnswer& answer = answers_->ask(group->exprs());
    const Expr* first = group->exprs().front();
    FUSER_USER_CHECK(answer.accepted(), "no scheduler takes %", first->output()->name(), " = ", first->info().mnemonic,
                     "(…)", group->exprs().size() > 1 ? " and what is merged with it" : "", ": ", answer.reason);
    return answer;
  }

  void checkInvariants(std::string_view what) const {
    if (!context_.checkInvariants) return;
    const std::vector<std::string> broken = findBrokenInvariants(*segmented_);
    FUSER_CHECK(broken.empty(), what, ": ", broken.front());
  }

  const CompileContext& context_;
  const SegmentCandidateFinderOptions& options_;
  std::unique_ptr<SegmentedFusion> segmented_;
  std::optional<SchedulerAnswers> answers_;  // none under a custom predicate; nor cuts
  std::optional<Cuts> cuts_;
  std::optional<Merger> merger_;
  SegmentCounters counters_;
};

}  // namespace

std::unique_ptr<SegmentedFusion> segment(const Fusion& fusion, const CompileContext& context,
                                         const SegmentCandidateFinderOptions& options) {
  SegmentCandidateFinder first(fusion, context, options);
  first.run();
  if (!options.bothDirections || !first.mixesDirections()) return first.result();
  SegmentCandidateFinderOptions bottomUp = options;
  bottomUp.topDown = false;
  SegmentCandidateFinder second(fusion, context, bottomUp);
  second.run();
  return second.kernels() < first.kernels() ? second.result() : first.result();
}

}  // namespace fuser
