#pragma once
// Trailing reshapes: a reshape of what depends on a reduction of its own part. It cannot be computed inline, because no
// reduction is repeated; instead it runs in the loops of its operand, and its coordinates follow from the operand's. So
// does what is computed at the reshape's coordinates.
//
//   %n = div(%d, %s)  [i0, 6]        n[i, j] = …
//   %r = reshape(%n)  [i0, 2, 3]     r[i, j / 3, j % 3] = n[i, j]
//   %y = mul(%r, %w)                 y[i, j / 3, j % 3] = r[…] * w[j / 3, j % 3], in the loops of %n

#include <unordered_set>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// Whether the expression is such a reshape, if its operand depends on a reduction: each element of the operand has its
// own place in the result, and loops that run over it. An expanded axis has one element in its loops.
bool mayTrail(const Expr* expr);

class TrailingReshapes {
 public:
  // `exprs` are those of a part, in topological order.
  explicit TrailingReshapes(const std::vector<Expr*>& exprs);
  bool contains(const Expr* expr) const { return trailing_.count(expr) != 0; }

 private:
  std::unordered_set<const Expr*> trailing_;  // for lookups only
};

}  // namespace fuser
