// Statements of a reduction's partial results (rFactor): each thread has one for each index of the factored axes, so
// that updates do not wait for each other, and joins them after the loops, in order.
//   rFactor %s {axes = [1]} -> %p, over [i0/4 serial, 4 (factored)]
//   kernel: for i < 4 { p[i] = 0 }  for j < i0/4 { for i < 4 { p[i] = p[i] + x[…] } }
//           for i < 3 { p[0] = p[0] + p[i + 1] }
#include <algorithm>

#include "fuser/lower/build_statements.h"

namespace fuser {

int64_t StatementBuilder::factoredCount(const TensorView* reduction) const {
  constexpr int64_t kMost = 1024;
  int64_t count = 1;
  for (const IterDomain* axis : reduction->domain().loop) {
    if (!axis->isFactored()) continue;
    const IntExpr extent = nest_.extent(axis);  // of a constant: rule 10
    FUSER_USER_CHECK(extent->isConstant() && extent->value <= kMost && count * extent->value <= kMost, "%",
                     reduction->name(), " has more than ", kMost, " partial results in a thread");
    count *= extent->value;
  }
  return count;
}

// The partial result of the current turn of the loops.
IntExpr StatementBuilder::factoredIndex(const TensorView* reduction) const {
  IntExpr index = ints_.constant(0);
  for (const IterDomain* axis : reduction->domain().loop) {
    if (axis->isFactored()) index = ints_.add(ints_.mul(index, nest_.extent(axis)), nest_.coordinate(axis));
  }
  return index;
}

// Appends `make(index)` for each index from `first` on, below `count`.
void StatementBuilder::forEachPartial(int64_t first, int64_t count, Body& body,
                                      const std::function<Body(IntExpr)>& make) {
  const int64_t turns = count - first;
  For loop;
  loop.extent = ints_.constant(turns);
  loop.index = turns == 1 ? ints_.constant(0) : ints_.index(concat("p", kernel_.ints->symbols().size()), loop.extent);
  loop.unroll = true;
  Body inner = make(ints_.add(loop.index, ints_.constant(first)));
  if (inner.empty()) return;
  if (turns == 1) {
    body.insert(body.end(), inner.begin(), inner.end());
  } else if (turns > 1) {
    loop.body = std::move(inner);
    body.push_back({std::move(loop)});
  }
}

}  // namespace fuser
