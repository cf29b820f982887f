// InnerOuterPersistent: accepts reductions along rows of memory and reductions across the same rows, as one kernel (the
// gradients of a layer norm: two sums along each row, and those of weight and bias across all). A block keeps a row as
// InnerPersistent does, and takes one row after another; each thread adds up its columns of them in registers, and the
// blocks' sums are combined through a workspace:
//   [I] -> [I/turns (BIDx), turns]    [R] -> [row/t unrolled, t (TIDx)]    across: I is reduced, R is kept
#include <algorithm>
#include <optional>

#include "fuser/schedule/inner_rows.h"
#include "fuser/schedule/product_plan.h"
#include "fuser/schedule/scheduler_list.h"

namespace fuser {
namespace {

constexpr int64_t kMostTurns = int64_t{1} << 20;

std::vector<bool> reducedAxes(const TensorView* tensor) {
  std::vector<bool> axes;
  for (const IterDomain* axis : tensor->domain().logical) axes.push_back(axis->isReduction());
  return axes;
}

// The first reduction, and the first one that reduces other axes; null: there is none.
std::pair<const TensorView*, const TensorView*> twoReductions(const std::vector<Expr*>& exprs) {
  const TensorView* first = firstReduction(exprs);
  for (const Expr* expr : exprs) {
    if (!first || expr->isScalarExpr() || !isReduction(expr->op())) continue;
    const auto* other = expr->output()->as<TensorView>();
    if (reducedAxes(other) != reducedAxes(first)) return {first, other};
  }
  return {first, nullptr};
}

// The map over the first reduction along memory, or why there is none.
std::variant<ReferenceMap, std::string> mapOfRows(const PartLoops& loops) {
  const FusionView& view = loops.view;
  const auto [first, second] = twoReductions(view.exprs);
  std::string reason = "all reductions reduce the same axes";
  for (const TensorView* reference : {first, second}) {
    if (!first || !second) break;
    std::variant<ReferenceMap, std::string> built = ReferenceMap::build(view.exprs, reference);
    const auto* map = std::get_if<ReferenceMap>(&built);
    if (map && fastestIsReduced(view.exprs, view.inputs, *map, reducedPositions(reference))) return built;
    reason = map ? "no reduction is along memory" : std::get<std::string>(built);
  }
  return reason;
}

// What depends on a result across rows is computed behind the loop over rows, as is what only that needs. Nothing is
// needed both there and in a row: it would be computed in that loop, and its readers with it.
std::string whySharedBehindRows(const std::vector<Expr*>& exprs, const ReferenceMap& map,
                                const std::vector<bool>& reduced, const std::unordered_set<const Val*>& across) {
  std::unordered_set<const Val*> inRow, behindRows;  // operands; look-ups only
  for (auto each = exprs.rbegin(); each != exprs.rend(); ++each) {
    const Val* result = (*each)->output();
    const bool depends = across.count(result) != 0 && !reducesAcross(*each, map, reduced);
    const bool behind = depends || (behindRows.count(result) != 0 && inRow.count(result) == 0);
    for (const Val* operand : (*each)->inputs()) {
      if (!operand->isTensor() || across.count(operand) != 0) continue;
      (behind ? behindRows : inRow).insert(operand);
      if (inRow.count(operand) != 0 && behindRows.count(operand) != 0)
        return concat("%", operand->name(), " is needed in rows and behind them");
    }
  }
  return "";
}

// A reduction is along rows, or across all of them and along nothing else. Nobody reads a result across rows in a row.
std::string whyOthersReduced(const std::vector<Expr*>& exprs, const ReferenceMap& map,
                             const std::vector<bool>& reduced) {
  const std::vector<IterDomain*>& axes = map.reference()->domain().logical;
  std::unordered_set<const Val*> across;  // the results, and what depends on them; look-ups only
  for (const Expr* expr : exprs) {
    const auto* result = expr->output()->as<TensorView>();
    const bool reads = std::any_of(expr->inputs().begin(), expr->inputs().end(),
                                   [&](const Val* operand) { return across.count(operand) != 0; });
    if (reads || reducesAcross(expr, map, reduced)) across.insert(expr->outputs().begin(), expr->outputs().end());
    std::vector<bool> has(axes.size(), false), reduces(axes.size(), false);
    for (size_t i = 0; i < map.positions(result).size(); ++i) {
      const int position = map.positions(result)[i];
      const IterDomain* axis = result->domain().logical[i];
      if (position < 0) continue;
      // One element for all rows is computed in the loops over rows, too.
      if (!axis->isReduction()) has[static_cast<size_t>(position)] = true;
      if (axis->isReduction() && !axis->isBroadcast()) reduces[static_cast<size_t>(position)] = true;
    }
    for (size_t i = 0; i < axes.size(); ++i) {
      if (axes[i]->isBroadcast()) continue;
      const bool wanted = reducesAcross(expr, map, reduced) ? !reduced[i] : reduced[i];
      if (isReduction(expr->op()) && reduces[i] != wanted)
        return concat("%", result->name(), " reduces neither along rows nor across all of them");
      if (reads && (isReduction(expr->op()) || (has[i] && !reduced[i])))
        return concat("%", result->name(), " reads a result across rows in a row");
    }
    if (reducesAcross(expr, map, reduced) && hasParts(expr->op()))
      return concat("%", result->name(), isWelford(expr->op()) ? " is a variance" : " is an index", " across rows");
  }
  return whySharedBehindRows(exprs, map, reduced, across);
}

// Rows that each block takes one after the other: a power of two, so that all blocks run at once, and no more than one
// a multiprocessor.
std::optional<int64_t> chooseTurns(const RowShape& shape, const RowSizes& row, const DeviceProperties& device) {
  int64_t shared = shape.threads * kScratchOfThread;
  for (const TensorView* tensor : shape.inShared)
    shared += shape.row * static_cast<int64_t>(dtypeSize(tensor->dtype()));
  const int64_t blocks = std::min(device.multiprocessors, blocksAtOnce(device, shape.threads, shared));
  if (blocks < 1) return std::nullopt;
  for (int64_t turns = 1; turns <= kMostTurns; turns *= 2) {
    if (row.sizes->atMost(row.rows, blocks * turns, SizeLimit::Grid)) return turns;
  }
  return std::nullopt;
}

std::string whyNoRoom(const Fusion& part, const PersistentPlan& plan, const RowSizes& row,
                      const DeviceProperties& device) {
  const int64_t longest = longestInnerRow(plan, device);
  if (longest == 0 || !row.sizes->atMost(row.terms, longest, SizeLimit::Row))
    return concat("a row has more than ", longest, " elements, which is what a block keeps of it");
  const RowShape shape = innerRowShape(part, row.terms, plan, row.sizes, device);
  return chooseTurns(shape, row, device) ? "" : "the device runs no blocks that wait for each other";
}

}  // namespace

std::string whyNotInnerOuterPersistent(const FusionView& whole, std::shared_ptr<const ReferenceMap>& kept) {
  if (!whole.sizes) return "nothing is known of the length of a row";
  for (const Expr* expr : whole.exprs) {
    if (expr->isScalarExpr()) return "scalars run on the host";
  }
  if (!firstReduction(whole.exprs)) return "there is no reduction";
  if (!twoReductions(whole.exprs).second) return "all reductions reduce the same axes";
  PartLoops loops;
  std::string reason = findLoops(whole, loops);
  if (reason.empty()) reason = whyEmpty(loops.view);
  if (reason.empty()) reason = whyPairsReduced(whole);
  if (!reason.empty()) return reason;
  std::variant<ReferenceMap, std::string> built = mapOfRows(loops);
  if (const std::string* problem = std::get_if<std::string>(&built)) return *problem;
  ReferenceMap& map = std::get<ReferenceMap>(built);
  const FusionView& view = loops.view;
  const std::vector<bool> reduced = reducedPositions(map.reference());
  reason = whyOthersReduced(view.exprs, map, reduced);
  if (reason.empty()) reason = whyOutputsUnwritten(view, map, reduced);
  if (!reason.empty()) return reason;
  const std::variant<PersistentPlan, std::string> planned = planPersistence(loops, map, reduced);
  if (const std::string* problem = std::get_if<std::string>(&planned)) return *problem;
  reason = whyNoRoom(*view.fusion, std::get<PersistentPlan>(planned),
                     rowSizes(*view.fusion, map.reference(), view.sizes), whole.device);
  if (reason.empty()) kept = std::make_shared<ReferenceMap>(std::move(map));
  return reason;
}

Schedule scheduleInnerOuterPersistent(const Fusion& part, SizeFacts* sizes, const std::vector<InputLayout>& layouts,
                                      const ReferenceMap* known, const DeviceProperties& device) {
  const RowPart rows =
      rowPart(part, known, [](const PartLoops& loops) { return std::get<ReferenceMap>(mapOfRows(loops)).reference(); });
  const RowSizes row = rowSizes(part, rows.map().reference(), sizes);
  RowShape shape = innerRowShape(part, row.terms, rows.plan, sizes, device);
  const std::optional<int64_t> turns = chooseTurns(shape, row, device);
  FUSER_CHECK(turns, "the blocks of rows that were accepted do not run at once");
  shape.turns = *turns;
  return scheduleRows(rows, shape, innerRowVectors(rows, shape, sizes, layouts), ParallelType::TIDx,
                      ParallelType::Serial);
}

}  // namespace fuser
