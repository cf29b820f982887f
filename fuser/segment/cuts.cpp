#include "fuser/segment/cuts.h"

#include <algorithm>
#include <optional>

namespace fuser {

bool isNarrowingCast(const Expr* expr) {
  return expr->op() == OpKind::Cast && expr->input(0)->isTensor() &&
         dtypeSize(expr->output()->dtype()) < dtypeSize(expr->input(0)->dtype());
}

namespace {

template <class Visit>
void forEachTensorEdge(const SegmentedFusion& segmented, const Visit& visit) {
  for (const Expr* reader : segmented.liveTensorExprs()) {
    for (const Val* val : segmented.reads(reader)) {
      if (val->isTensor() && val->definition()) visit(val, reader);
    }
  }
}

}  // namespace

Cuts::Cuts(const SegmentedFusion& segmented, SchedulerAnswers& answers, bool narrowing)
    : answers_(answers), moved_(segmented.completeFusion().exprIdCount(), Moved::No) {
  findParts(segmented);
  if (narrowing) {
    std::vector<std::pair<const Expr*, std::vector<Expr*>>> candidates;  // by where the cuts stand now
    for (const Expr* expr : segmented.liveTensorExprs()) {
      std::vector<Expr*> casts = castsBeforeCut(segmented, answers, expr);
      if (!casts.empty()) candidates.emplace_back(expr, std::move(casts));
    }
    const auto move = [&](const auto& candidate, bool behind) {
      moved_[candidate.first->id()] = behind ? Moved::SetBeforeCasts : Moved::No;
      for (const Expr* cast : candidate.second) moved_[cast->id()] = behind ? Moved::CastBeforeCut : Moved::No;
    };
    for (const auto& candidate : candidates) move(candidate, true);
    if (!candidates.empty()) findParts(segmented);
    // If only the value connected the casts' readers, moving the cut would force them into separate kernels.
    narrowed_ = candidates.size();
    for (const auto& candidate : candidates) {
      if (areReadInOnePart(segmented, candidate.second)) continue;
      move(candidate, false);
      --narrowed_;
    }
    if (narrowed_ < candidates.size()) findParts(segmented);
  }
  forEachTensorEdge(segmented, [&](const Val* val, const Expr* reader) { any_ |= isCut(val, reader); });

  std::vector<int64_t> index(segmented.completeFusion().exprIdCount(), -1);
  for (Expr* expr : segmented.liveTensorExprs()) {
    int64_t& part = index[partOf_.find(expr->id())];
    if (part < 0) {
      part = static_cast<int64_t>(parts_.size());
      parts_.emplace_back();
    }
    parts_[static_cast<size_t>(part)].push_back(expr);
  }
}

void Cuts::findParts(const SegmentedFusion& segmented) {
  partOf_ = DisjointSets(segmented.completeFusion().exprIdCount());
  forEachTensorEdge(segmented, [&](const Val* val, const Expr* reader) {
    if (endsPart(val) || answers_.mustBeSegmentInput(reader, val)) return;
    partOf_.unite(val->definition()->id(), reader->id());
  });
}

// Whether a segment_set, or a cast before which its cut moved, requests a cut after this value.
bool Cuts::endsPart(const Val* val) const {
  const Moved moved = moved_[val->definition()->id()];
  return val->definition()->op() == OpKind::SegmentSet ? moved == Moved::No : moved == Moved::CastBeforeCut;
}

// The casts behind which the cut at a segment_set may move; empty if it stays. A view stays, because it is not stored.
std::vector<Expr*> Cuts::castsBeforeCut(const SegmentedFusion& segmented, SchedulerAnswers& answers,
                                        const Expr* set) const {
  if (set->op() != OpKind::SegmentSet || set->output()->isFusionOutput()) return {};
  const TensorView* value = set->output()->as<TensorView>();
  if (value->domain().view) return {};
  const std::span<Expr* const> readers = segmented.readers(value);
  std::vector<Expr*> casts(readers.begin(), readers.end());
  const bool round = std::all_of(casts.begin(), casts.end(), [&](const Expr* reader) {
    return isNarrowingCast(reader) && reader->output()->dtype() == casts.front()->output()->dtype() &&
           isCut(value, reader) && !answers.mustBeSegmentInput(reader, value);
  });
  if (casts.empty() || !round) return {};
  if (casts.size() * dtypeSize(casts.front()->output()->dtype()) > dtypeSize(value->dtype())) return {};
  std::vector<Expr*> together = casts;
  together.push_back(value->definition());
  return answers.ask(together).accepted() ? casts : std::vector<Expr*>{};
}

bool Cuts::areReadInOnePart(const SegmentedFusion& segmented, const std::vector<Expr*>& casts) const {
  if (casts.size() == 1) return true;
  std::optional<size_t> part;
  for (const Expr* cast : casts) {
    for (const Expr* reader : segmented.readers(cast->output())) {
      const size_t here = partOf_.find(reader->id());
      if (part.value_or(here) != here) return false;
      part = here;
    }
  }
  return true;
}

bool Cuts::isCut(const Val* val, const Expr* reader) const {
  if (answers_.mustBeSegmentInput(reader, val)) return true;
  return endsPart(val) && !partOf_.same(val->definition()->id(), reader->id());
}

bool Cuts::isCut(const SegmentedFusion& segmented, const SegmentedEdge& edge) const {
  return any_ && edge.val()->isTensor() && firstCutReader(segmented, edge) != nullptr;
}

const Expr* Cuts::firstCutReader(const SegmentedFusion& segmented, const SegmentedEdge& edge) const {
  for (const Expr* reader : segmented.readers(edge.val())) {
    if (segmented.computes(edge.to(), reader) && isCut(edge.val(), reader)) return reader;
  }
  return nullptr;
}

std::string Cuts::whyCut(const SegmentedFusion& segmented, const SegmentedEdge& edge) const {
  const Expr* reader = firstCutReader(segmented, edge);
  FUSER_CHECK(reader, edge.toString(), " is not cut");
  if (!answers_.mustBeSegmentInput(reader, edge.val())) {
    return concat("a segment_set separates the two parts",
                  edge.val()->definition()->op() == OpKind::SegmentSet ? "" : ", behind its casts");
  }
  return concat("%", reader->output()->name(), " must find it in memory");
}

}  // namespace fuser
