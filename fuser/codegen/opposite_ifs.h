#pragma once
// Two neighbouring ifs of which exactly one runs: they print as one if/else, and their condition is computed once.

#include <optional>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

// What conditions `s && c` and `s && !c` consist of: the parts of s and of the first one's c.
struct OppositeIfs {
  std::vector<IntExpr> shared;
  std::vector<IntExpr> first;
};

// Null where both may run, or where the second's condition is not the opposite in the form that lowering writes:
// `c == 0`.
std::optional<OppositeIfs> oppositeIfs(IntExpr first, IntExpr second);

}  // namespace fuser
