#pragma once
// Schedulers defined by predicates, for tests: accept every part for which `whyNot` returns no reason, as PointWise,
// and host scalars as ExprEval.

#include <functional>
#include <string>
#include <vector>

#include "fuser/segment/segment_candidate_finder.h"
#include "fuser/text/parser.h"

namespace fuser {

class FakeSchedulers : public SchedulerInterface {
 public:
  using WhyNot = std::function<std::string(const FusionView&)>;
  using Required = std::function<std::vector<Val*>(const Expr*)>;
  explicit FakeSchedulers(WhyNot whyNot = {}, Required required = {})
      : whyNot_(std::move(whyNot)), required_(std::move(required)) {}

  SchedulerAnswer accepts(const FusionView& view) const override {
    if (view.exprs.front()->isScalarExpr()) return {SchedulerType::ExprEval, ""};
    ++questions;
    const std::string reason = whyNot_ ? whyNot_(view) : "";
    if (!reason.empty()) return {SchedulerType::None, reason};
    return {SchedulerType::PointWise, ""};
  }
  std::vector<Val*> mustBeSegmentInputs(const Expr* expr) const override {
    return required_ ? required_(expr) : std::vector<Val*>{};
  }

  mutable size_t questions = 0;

 private:
  WhyNot whyNot_;
  Required required_;
};

// Accepts groups of at most `exprs` expressions.
inline FakeSchedulers::WhyNot atMost(size_t exprs) {
  return [exprs](const FusionView& view) { return view.exprs.size() > exprs ? "too many expressions" : ""; };
}

inline bool holdsOp(const FusionView& view, OpKind op) {
  for (const Expr* expr : view.exprs) {
    if (expr->op() == op) return true;
  }
  return false;
}

// A segmentation with its fusion.
struct Segmented {
  std::unique_ptr<Fusion> fusion;
  std::unique_ptr<SegmentedFusion> segments;

  Val* val(const std::string& name) const {
    for (Val* val : fusion->usedVals()) {
      if (val->name() == name) return val;
    }
    FUSER_CHECK(false, "no value %", name);
  }
  SegmentedGroup* groupOf(const std::string& name) const { return segments->producerOf(val(name)); }
  // The names of the results by group: "a b | c".
  std::string groups() const {
    std::string text;
    for (const SegmentedGroup* group : segments->groups()) {
      if (!text.empty()) text += " |";
      for (const Expr* expr : group->exprs()) text += (text.empty() ? "" : " ") + expr->output()->name();
    }
    return text;
  }
};

inline Segmented segmentText(const std::string& text, const FakeSchedulers& schedulers,
                             const SegmentCandidateFinderOptions& options = {}) {
  Segmented result{parseFusion(text), nullptr};
  CompileContext context;
  context.schedulers = &schedulers;
  context.checkInvariants = true;
  result.segments = segment(*result.fusion, context, options);
  return result;
}

// One group per expression, with its edges.
inline Segmented singles(const std::string& text) {
  SegmentCandidateFinderOptions options;
  options.custom_should_merge_groups = [](const SegmentedGroup*, const SegmentedGroup*) { return false; };
  return segmentText(text, FakeSchedulers(), options);
}

}  // namespace fuser
