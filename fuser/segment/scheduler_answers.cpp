#include "fuser/segment/scheduler_answers.h"

#include <algorithm>
#include <limits>
#include <map>

#include "fuser/support/split_mix.h"

namespace fuser {

SchedulerAnswers::PartKey SchedulerAnswers::keyOf(const FusionView& view) {
  PartKey key{0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu};
  const auto add = [&](uint64_t id) {
    key.first = mixBits(key.first + id);
    key.second = mixBits(key.second ^ (id << 32));
  };
  for (const Expr* expr : view.exprs) add(expr->id());
  add(std::numeric_limits<uint32_t>::max());  // no id: the end of the expressions
  for (const Val* output : view.outputs) add(output->id());
  return key;
}

SchedulerAnswers::SchedulerAnswers(const SegmentedFusion& segmented, const CompileContext& context, WhyNot whyNotAGroup,
                                   const AreApart& areApart)
    : segmented_(segmented),
      schedulers_(*context.schedulers),
      sizes_(context.sizes),
      device_(context.device()),
      whyNotAGroup_(std::move(whyNotAGroup)),
      required_(segmented.completeFusion().exprIdCount()),
      pieceOf_(segmented.completeFusion().exprIdCount(), -1) {
  // Reserves room for more questions than are usually asked, to avoid rehashing and collisions.
  answers_.reserve(4 * segmented.liveTensorExprs().size());
  for (const Expr* expr : segmented.liveTensorExprs()) {
    std::vector<Val*>& required = required_[expr->id()] = schedulers_.mustBeSegmentInputs(expr);
    if (!areApart) continue;
    for (Val* input : expr->inputs()) {
      if (input->isTensor() && input->definition() && areApart(input->definition(), expr)) required.push_back(input);
    }
  }
}

const SchedulerAnswer& SchedulerAnswers::ask(const std::vector<Expr*>& exprs) {
  FusionView view;
  view.exprs = segmented_.inTopologicalOrder(exprs);
  view.exprs.erase(std::unique(view.exprs.begin(), view.exprs.end()), view.exprs.end());
  view.outputs = segmented_.outputsOf(view.exprs);
  const PartKey key = keyOf(view);
  const auto found = answers_.find(key);
  if (found != answers_.end()) return found->second;
  questionsAboutSettled_ += asksAboutSettled(view.exprs);
  view.fusion = &segmented_.completeFusion();
  view.inputs = segmented_.inputsOf(view.exprs);
  view.sizes = sizes_;
  view.device = device_;
  return answers_.emplace(key, answerOf(view)).first->second;
}

SchedulerAnswer SchedulerAnswers::answerOf(const FusionView& view) const {
  SchedulerAnswer answer = schedulers_.accepts(view);
  // Groups of host scalars are in no place.
  const bool isScalar = answer.type == SchedulerType::ExprEval;
  if (!whyNotAGroup_ || view.exprs.size() < 2 || !answer.accepted() || isScalar) return answer;
  const std::string reason = whyNotAGroup_(view);
  return reason.empty() ? answer : SchedulerAnswer{SchedulerType::None, reason};
}

void SchedulerAnswers::settle(const std::vector<Expr*>& exprs) {
  size_t size = 0;
  for (const Expr* expr : exprs) {
    if (segmented_.isPrivatized(expr)) continue;
    pieceOf_.at(expr->id()) = static_cast<int64_t>(pieceSizes_.size());
    ++size;
  }
  pieceSizes_.push_back(size);
}

bool SchedulerAnswers::asksAboutSettled(const std::vector<Expr*>& exprs) const {
  std::map<int64_t, size_t> seen;
  for (const Expr* expr : exprs) {
    if (isSettled(expr)) ++seen[pieceOf_[expr->id()]];
  }
  return std::any_of(seen.begin(), seen.end(), [&](const auto& piece) {
    const size_t size = pieceSizes_[static_cast<size_t>(piece.first)];
    return piece.second != size || size == exprs.size();
  });
}

bool SchedulerAnswers::mustBeSegmentInput(const Expr* expr, const Val* val) const {
  const std::vector<Val*>& required = required_.at(expr->id());
  return std::find(required.begin(), required.end(), val) != required.end();
}

}  // namespace fuser
