// PreferredMerges: runs before the general rules, so that values between groups are small. An op that drops axes of its
// operand joins its producer's group; an op whose result is larger than its operand joins its reader's group. (A slice
// must read its operand from memory and so stays apart from its producer.)
//   a = exp(x) -> s = squeeze(a)                 =>    a s
//   u = unsqueeze(r), e = expand(u) -> d = sub(x, e)    =>    u e d, and r crosses
//   t = mul(a[i0, 1, i1], b[1, i2, i1]) -> s = sum(t)   =>    t s

#include "fuser/segment/merging.h"

namespace fuser {

namespace {

// Whether each operand is repeated along some axis of the result, as those of an outer product are.
bool pairsElements(const Expr* expr) {
  const auto* result = expr->output()->as<TensorView>();
  size_t tensors = 0;
  for (const Val* operand : expr->inputs()) {
    if (operand->isScalar()) continue;
    if (operand->as<TensorView>()->concreteRank() >= result->concreteRank()) return false;
    ++tensors;
  }
  return tensors > 1 && familyInfo(expr->family()).coordinates == Coordinates::Elementwise;
}

ResultSize sizesOf(const Expr* expr) {
  return pairsElements(expr) ? ResultSize::More : familyInfo(expr->family()).sizes;
}

void mergeWithProducer(Merger& merger, const Expr* expr) {
  SegmentedGroup* from = merger.segmented().producerOf(expr->input(0));
  SegmentedGroup* group = merger.segmented().groupOf(expr);
  if (from && from != group && merger.isOpen(from)) merger.tryMerge(from, group);
}

// Merges with the reader if only one group reads the value; otherwise the other readers would wait for the first.
void mergeWithConsumer(Merger& merger, const Expr* expr) {
  const std::vector<SegmentedGroup*> readers = merger.segmented().consumersOf(expr->output());
  SegmentedGroup* group = merger.segmented().groupOf(expr);
  if (readers.size() == 1 && readers[0] != group && merger.isOpen(readers[0])) merger.tryMerge(group, readers[0]);
}

}  // namespace

void runPreferredMerges(Merger& merger) {
  const std::vector<Expr*>& exprs = merger.segmented().liveTensorExprs();
  const auto isOpen = [&](const Expr* expr) {
    return !merger.segmented().isPrivatized(expr) && merger.isOpen(merger.segmented().groupOf(expr));
  };
  for (const Expr* expr : exprs) {
    if (sizesOf(expr) == ResultSize::Fewer && isOpen(expr)) mergeWithProducer(merger, expr);
  }
  // From the end, so that a chain of such ops becomes one group.
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    if (sizesOf(*expr) == ResultSize::More && isOpen(*expr)) mergeWithConsumer(merger, *expr);
  }
}

}  // namespace fuser
