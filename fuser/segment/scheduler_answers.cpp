#include "fuser/segment/scheduler_answers.h"

#include <algorithm>
#include <limits>
#include <map>

namespace fuser {

size_t SchedulerAnswers::HashIds::operator()(const std::vector<uint32_t>& ids) const {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a over the ids
  for (uint32_t id : ids) hash = (hash ^ id) * 0x100000001b3u;
  return static_cast<size_t>(hash ^ (hash >> 29));
}

SchedulerAnswers::SchedulerAnswers(const SegmentedFusion& segmented, const CompileContext& context)
    : segmented_(segmented),
      schedulers_(*context.schedulers),
      sizes_(context.sizes),
      required_(segmented.completeFusion().exprIdCount()),
      pieceOf_(segmented.completeFusion().exprIdCount(), -1) {
  for (const Expr* expr : segmented.liveExprs()) {
    if (!expr->isScalarExpr()) required_[expr->id()] = schedulers_.mustBeSegmentInputs(expr);
  }
}

const SchedulerAnswer& SchedulerAnswers::ask(const std::vector<Expr*>& exprs) {
  FusionView view;
  view.exprs = segmented_.inTopologicalOrder(exprs);
  view.exprs.erase(std::unique(view.exprs.begin(), view.exprs.end()), view.exprs.end());
  view.outputs = segmented_.outputsOf(view.exprs);
  std::vector<uint32_t> ids;
  ids.reserve(view.exprs.size() + view.outputs.size() + 1);
  for (const Expr* expr : view.exprs) ids.push_back(expr->id());
  ids.push_back(std::numeric_limits<uint32_t>::max());
  for (const Val* output : view.outputs) ids.push_back(output->id());
  const auto found = answers_.find(ids);
  if (found != answers_.end()) return found->second;
  questionsAboutSettled_ += asksAboutSettled(view.exprs);
  view.fusion = &segmented_.completeFusion();
  view.inputs = segmented_.inputsOf(view.exprs);
  view.sizes = sizes_;
  return answers_.emplace(std::move(ids), schedulers_.accepts(view)).first->second;
}

void SchedulerAnswers::settle(const std::vector<Expr*>& exprs) {
  for (const Expr* expr : exprs) pieceOf_.at(expr->id()) = static_cast<int64_t>(pieceSizes_.size());
  pieceSizes_.push_back(exprs.size());
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
