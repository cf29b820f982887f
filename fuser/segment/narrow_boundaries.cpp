// Narrowing (option boundary_precision, off by default): a value crosses between groups in the narrowest type that
// gives the same bits. This moves casts between groups; it never changes what they compute:
//   a b | h = cast(b) {bf16} …   =>   a b h | …    %h crosses, not %b (f32, read outside by nothing but such casts)
//   a w = cast(a) {f32} | y(w)   =>   a | w y(w)   %a (bf16) crosses, not %w, which has no loss
// It never adds a rounding, which would change the program. Cuts handles the values of a segment_set. Groups that were
// settled top-down do not change.

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

  bool isSettled(const SegmentedGroup* group) const {
    return std::any_of(group->exprs().begin(), group->exprs().end(),
                       [&](const Expr* expr) { return answers_.isSettled(expr); });
  }

  // The casts that read the value outside of the maker's group; empty if there are other readers, or if the results of
  // the casts together are larger than the value.
  std::vector<Expr*> castsOutside(const Val* value, const SegmentedGroup* maker) const {
    std::vector<Expr*> casts;
    for (Expr* reader : segmented_.readers(value)) {
      if (segmented_.groupOf(reader) == maker && !segmented_.isPrivatized(reader)) continue;
      const bool joins = isNarrowingCast(reader) && !segmented_.isPrivatized(reader) && !cuts_.isCut(value, reader);
      if (!joins || (!casts.empty() && reader->output()->dtype() != casts.front()->output()->dtype())) return {};
      casts.push_back(reader);
    }
    if (casts.empty()) return {};
    const size_t narrow = casts.size() * dtypeSize(casts.front()->output()->dtype());
    return narrow <= dtypeSize(value->dtype()) ? casts : std::vector<Expr*>{};
  }

  // Moves the casts into the maker's group, which then stores their results instead of the operand.
  bool crossesNarrowed(Expr* expr) {
    const Val* value = expr->output();
    SegmentedGroup* maker = segmented_.groupOf(expr);
    if (value->isFusionOutput() || isSettled(maker)) return false;
    const std::vector<Expr*> casts = castsOutside(value, maker);
    if (casts.empty()) return false;
    // Asks about the maker with the casts and the readers without them before anything moves.
    std::vector<Expr*> with = maker->exprs();
    with.insert(with.end(), casts.begin(), casts.end());
    if (!answers_.ask(with).accepted()) return false;
    for (const Expr* cast : casts) {
      const SegmentedGroup* reader = segmented_.groupOf(cast);
      if (isSettled(reader)) return false;
      std::vector<Expr*> without = reader->exprs();
      std::erase_if(without,
                    [&](const Expr* left) { return std::find(casts.begin(), casts.end(), left) != casts.end(); });
      // If nothing is left in the reader, this would be a merge, which was refused before.
      if (without.empty() || !answers_.ask(without).accepted()) return false;
    }
    for (Expr* cast : casts) segmented_.moveExpr(cast, maker);
    return true;
  }

  // Lets each reader compute the widening cast itself.
  bool crossesUnwidened(Expr* expr) {
    if (expr->op() != OpKind::Cast || isNarrowingCast(expr) || expr->output()->isFusionOutput()) return false;
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
    if (std::any_of(all.begin(), all.end(), [&](const SegmentedGroup* group) { return isSettled(group); })) {
      return false;
    }
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
