#include "fuser/segment/cuts.h"

#include <algorithm>

namespace fuser {

Cuts::Cuts(const SegmentedFusion& segmented, const SchedulerAnswers& answers)
    : answers_(answers), partOf_(segmented.completeFusion().exprIdCount()) {
  const auto forEachTensorEdge = [&](const auto& visit) {
    for (const Expr* reader : segmented.liveTensorExprs()) {
      for (const Val* val : segmented.reads(reader)) {
        if (val->isTensor() && val->definition()) visit(val, reader);
      }
    }
  };
  forEachTensorEdge([&](const Val* val, const Expr* reader) {
    if (val->definition()->op() == OpKind::SegmentSet || answers_.mustBeSegmentInput(reader, val)) return;
    partOf_.unite(val->definition()->id(), reader->id());
  });
  forEachTensorEdge([&](const Val* val, const Expr* reader) { any_ |= isCut(val, reader); });

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

bool Cuts::isCut(const Val* val, const Expr* reader) const {
  if (answers_.mustBeSegmentInput(reader, val)) return true;
  return val->definition()->op() == OpKind::SegmentSet && !partOf_.same(val->definition()->id(), reader->id());
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
  if (!answers_.mustBeSegmentInput(reader, edge.val())) return "a segment_set stands between two parts";
  return concat("%", reader->output()->name(), " must find it in memory");
}

}  // namespace fuser
