#include "fuser/analysis/scan_loops.h"

#include <algorithm>
#include <unordered_map>

#include "fuser/analysis/loop_map.h"

namespace fuser {
namespace {

bool isInTurns(const IterDomain* axis) {
  return axis->parallelType() == ParallelType::Serial || axis->parallelType() == ParallelType::Unroll;
}

const IterDomain* scannedAxis(const Expr* scan) {
  return scan->output()->as<TensorView>()->axes()[static_cast<size_t>(scan->attributes().dim())];
}

// Of one element, there is nothing to wait for.
bool isScan(const Expr* expr) { return expr && expr->family() == Family::Scan && !scannedAxis(expr)->isBroadcast(); }

// The split of an axis that gives this part of it; null: there is none.
const Split* splitInto(const TensorDomain& domain, const IterDomain* axis, const IterDomain* part) {
  for (const LoopTransform& step : domain.transforms) {
    const bool gives = step.split && step.split->in == axis;
    if (gives && (step.split->inner == part || step.split->outer == part)) return &*step.split;
  }
  return nullptr;
}

}  // namespace

// Of an axis of one element no loop is needed: the depth is that of the innermost statements.
std::optional<ScanLoops> findScanLoops(const Expr* scan) {
  const auto* tensor = scan->output()->as<TensorView>();
  const TensorDomain& domain = tensor->domain();
  const std::vector<IterDomain*>& loops = domain.loop;
  const size_t depth = loops.size();
  const IterDomain* axis = scannedAxis(scan);
  if (axis->isBroadcast()) return ScanLoops{depth};
  if (loops.empty()) return std::nullopt;
  const std::optional<size_t> blocks = blocksOfScan(tensor);
  ScanLoops found;
  if (blocks) {
    const Split* split = splitInto(domain, axis, loops[*blocks]);
    if (!split || split->outer != loops[*blocks]) return std::nullopt;
    found.blocks = loops[*blocks];
    axis = split->inner;
  }
  const IterDomain* last = loops.back();
  const Split* split = splitInto(domain, axis, last);
  if (last == axis && isInTurns(last)) {
    found.outermost = depth - 1;
  } else if (isThreadDim(last->parallelType()) && (last == axis || (split && split->whole))) {
    found = {depth - 1, last, found.blocks};
  } else if (isThreadDim(last->parallelType()) && split && split->inner == last && depth > 1 &&
             loops[depth - 2] == split->outer && isInTurns(split->outer)) {
    found = {depth - 2, last, found.blocks};
  } else {
    return std::nullopt;
  }
  if (blocks && *blocks + 1 != found.outermost) return std::nullopt;
  return found;
}

std::optional<size_t> blocksOfScan(const TensorView* tensor) {
  if (!isScan(tensor->definition())) return std::nullopt;
  const TensorDomain& domain = tensor->domain();
  const auto axis = std::find(domain.loopRoot.begin(), domain.loopRoot.end(), scannedAxis(tensor->definition()));
  const auto root = static_cast<size_t>(axis - domain.loopRoot.begin());
  for (size_t i = 0; i < domain.loop.size(); ++i) {
    if (!isBlockDim(domain.loop[i]->parallelType())) continue;
    const std::vector<size_t> roots = rootsOf(tensor, domain.loop[i]);
    if (std::find(roots.begin(), roots.end(), root) != roots.end()) return i;
  }
  return std::nullopt;
}

bool mustKeepAcrossScans(const std::vector<Expr*>& exprs) {
  std::unordered_map<const Val*, int> waits;  // before a value is there, at least; look-ups only
  for (const Expr* expr : exprs) {
    int most = 0;
    for (const Val* operand : expr->inputs()) {
      const auto found = waits.find(operand);
      if (found != waits.end()) most = std::max(most, found->second);
    }
    for (const Val* result : expr->outputs()) waits[result] = most + (isScan(expr) ? 1 : 0);
  }
  std::unordered_map<const Val*, int> neededAfter;  // so many of the waits; look-ups only
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    const Val* result = (*expr)->output();
    const auto needed = neededAfter.find(result);
    const int at = isScan(*expr)                 ? waits.at(result) - 1
                   : needed == neededAfter.end() ? waits.at(result)
                                                 : needed->second;
    for (const Val* operand : (*expr)->inputs()) {
      if (!operand->isTensor() || waits.count(operand) == 0 || isScan(operand->definition())) continue;
      const auto [entry, isFirst] = neededAfter.emplace(operand, at);
      if (!isFirst && entry->second != at) return true;
    }
  }
  return false;
}

}  // namespace fuser
