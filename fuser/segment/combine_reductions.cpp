// CombineReductions: merges reductions of one signature (the same extents kept and reduced, in the same order), first
// vertically, then horizontally, if a scheduler accepts the result. nvFuser has a rule of that name.
//   m = amax(x) -> … -> t = sum(e)    =>    one group with everything on the paths between them
//   s = sum(x), q = sum(y)            =>    one group, if no path connects them

#include <algorithm>
#include <map>

#include "fuser/segment/merging.h"

namespace fuser {

namespace {

// The limit on the number of groups between two reductions; no kernel contains more.
constexpr size_t kMostBetween = 64;

// The signature: (is the axis reduced, id of its extent) for every non-broadcast axis.
using Signature = std::vector<std::pair<bool, uint32_t>>;

Signature signatureOf(const Expr* reduction) {
  Signature signature;
  for (const IterDomain* axis : reduction->output()->as<TensorView>()->domain().logical) {
    if (!axis->isBroadcast()) signature.emplace_back(axis->isReduction(), axis->extent()->id);
  }
  return signature;
}

void combineVertically(Merger& merger, const Expr* first, const Expr* second) {
  SegmentedGroup* from = merger.segmented().groupOf(first);
  SegmentedGroup* to = merger.segmented().groupOf(second);
  if (from == to) return;
  const std::optional<std::vector<SegmentedGroup*>> between = merger.order().allBetween(from, to, kMostBetween);
  if (!between) return;
  const bool open =
      std::all_of(between->begin(), between->end(), [&](const SegmentedGroup* group) { return merger.isOpen(group); });
  if (open) merger.tryMergeAll(*between);
}

void combineHorizontally(Merger& merger, const Expr* first, const Expr* second) {
  SegmentedGroup* a = merger.segmented().groupOf(first);
  SegmentedGroup* b = merger.segmented().groupOf(second);
  if (a != b && merger.order().pathBetween(a, b).empty() && merger.segmented().getEdgesBetween(a, b).empty()) {
    merger.tryMerge(a, b);
  }
}

}  // namespace

std::vector<std::vector<Expr*>> reductionsBySignature(const SegmentedFusion& segmented) {
  std::map<Signature, size_t> index;
  std::vector<std::vector<Expr*>> classes;
  for (Expr* expr : segmented.liveTensorExprs()) {
    if (!isReduction(expr->op())) continue;
    const size_t place = index.emplace(signatureOf(expr), classes.size()).first->second;
    if (place == classes.size()) classes.emplace_back();
    classes[place].push_back(expr);
  }
  return classes;
}

void runCombineReductions(Merger& merger) {
  for (const std::vector<Expr*>& reductions : reductionsBySignature(merger.segmented())) {
    // Neighbours, then pairs of pairs, …: groups grow evenly, so that a long chain costs n log n.
    for (size_t step = 1; step < reductions.size(); step *= 2) {
      for (size_t i = step; i < reductions.size(); i += 2 * step)
        combineVertically(merger, reductions[i - 1], reductions[i]);
    }
    for (size_t i = 0; i < reductions.size(); ++i) {
      for (size_t j = i + 1; j < std::min(reductions.size(), i + 1 + kReductionWindow); ++j) {
        combineHorizontally(merger, reductions[i], reductions[j]);
      }
    }
  }
}

}  // namespace fuser
