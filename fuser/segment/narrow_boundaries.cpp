// Precision at boundaries, a decision of its own and off by default: a value crosses between groups in the narrowest type
// that gives the same bits. Which expressions run where changes, never what they compute:
//   a b | h = cast(b) {bf16} …   (%b: f32, read by nothing but such casts)  =>    a b h | …      %h crosses instead of %b
//   a w = cast(a) {f32} | y(w)   (%a: bf16, %w has no loss)                 =>    a | w y(w)     %a crosses instead of %w
// It never rounds what was not rounded: storing a wider value narrow would be a rewrite of the program.

#include <algorithm>

#include "fuser/segment/merging.h"

namespace fuser {

namespace {

class Narrowing {
 public:
  Narrowing(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts)
      : segmented_(segmented), answers_(answers), cuts_(cuts) {}

  size_t run() {
    size_t narrowed = 0;
    for (Expr* expr : segmented_.liveExprs()) {
      if (expr->isScalarExpr() || expr->outputs().size() != 1) continue;
      if (segmented_.isPrivatized(expr) || segmented_.groupOf(expr)->consumerEdges().empty()) continue;
      narrowed += crossesNarrowed(expr) || crossesUnwidened(expr);
    }
    return narrowed;
  }

 private:
  std::vector<SegmentedGroup*> outsideReaders(const Expr* expr) const {
    std::vector<SegmentedGroup*> groups = segmented_.consumersOf(expr->output());
    std::erase(groups, segmented_.groupOf(expr));
    return groups;
  }

  bool areTaken(const std::vector<SegmentedGroup*>& groups) {
    return std::all_of(groups.begin(), groups.end(),
                       [&](const SegmentedGroup* group) { return answers_.ask(group->exprs()).accepted(); });
  }

  static bool isNarrowing(const Expr* expr) {
    return expr->op() == OpKind::Cast && dtypeSize(expr->output()->dtype()) < dtypeSize(expr->input(0)->dtype());
  }

  // One cast, in one group: the maker computes it, and stores its result in place of the operand.
  bool crossesNarrowed(Expr* expr) {
    const Val* value = expr->output();
    SegmentedGroup* maker = segmented_.groupOf(expr);
    if (value->isFusionOutput() || outsideReaders(expr).empty()) return false;
    Expr* cast = nullptr;
    for (Expr* reader : segmented_.readers(value)) {
      if (segmented_.groupsOf(reader) == std::vector<SegmentedGroup*>{maker}) continue;
      if (cast || !isNarrowing(reader) || segmented_.isPrivatized(reader)) return false;
      if (cuts_.isCut(value, reader)) return false;
      cast = reader;
    }
    if (!cast) return false;
    SegmentedGroup* reader = segmented_.groupOf(cast);
    if (reader->exprs().size() == 1) return false;  // it would leave nothing behind: a merge, and that was refused
    // The maker with the cast, the reader without it: asked about as parts before anything moves.
    std::vector<Expr*> with = maker->exprs();
    with.push_back(cast);
    std::vector<Expr*> without = reader->exprs();
    std::erase(without, cast);
    if (!answers_.ask(with).accepted() || !answers_.ask(without).accepted()) return false;
    segmented_.moveExpr(cast, maker);
    return true;
  }

  // The readers widen for themselves.
  bool crossesUnwidened(Expr* expr) {
    if (expr->op() != OpKind::Cast || isNarrowing(expr) || expr->output()->isFusionOutput()) return false;
    const Val* operand = expr->input(0);
    const bool exact = isFloating(operand->dtype()) && isFloating(expr->output()->dtype()) &&
                       dtypeSize(operand->dtype()) < dtypeSize(expr->output()->dtype());
    const Expr* definition = operand->definition();
    const std::vector<SegmentedGroup*> outside = outsideReaders(expr);
    if (!exact || outside.empty() || (definition && segmented_.isPrivatized(definition))) return false;
    SegmentedGroup* maker = segmented_.groupOf(expr);
    if (definition && !segmented_.computes(maker, definition)) return false;  // then it crosses to the maker already
    const std::span<Expr* const> readers = segmented_.readers(expr->output());
    const bool cut = std::any_of(readers.begin(), readers.end(),
                                 [&](const Expr* reader) { return cuts_.isCut(expr->output(), reader); });
    if (cut || maker->exprs().size() == 1) return false;
    std::vector<SegmentedGroup*> all = outside;
    all.push_back(maker);
    segmented_.privatize(expr);
    if (areTaken(all)) return true;
    takeBack(expr, maker);
    return false;
  }

  void takeBack(Expr* expr, SegmentedGroup* maker) {
    if (segmented_.isPrivatized(expr)) {
      segmented_.computeOnce(expr, maker);
    } else {
      segmented_.moveExpr(expr, maker);
    }
  }

  SegmentedFusion& segmented_;
  SchedulerAnswers& answers_;
  const Cuts& cuts_;
};

}  // namespace

size_t narrowBoundaries(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts) {
  return Narrowing(segmented, answers, cuts).run();
}

}  // namespace fuser
