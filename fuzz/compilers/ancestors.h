#pragma once
// What a value is computed of.

#include <set>
#include <vector>

#include "fuser/ir/expr.h"
#include "fuser/ir/val.h"

namespace fuser::fuzz {

// Whether something holds of the value, or of any value that it is computed of.
template <class Predicate>
bool anyAncestor(const Val& val, const Predicate& holds) {
  std::vector<const Val*> left = {&val};
  std::set<const Val*> seen = {&val};
  while (!left.empty()) {
    const Val* next = left.back();
    left.pop_back();
    if (holds(*next)) return true;
    const Expr* definition = next->definition();
    if (!definition) continue;
    for (const Val* operand : definition->inputs()) {
      if (seen.insert(operand).second) left.push_back(operand);
    }
  }
  return false;
}

}  // namespace fuser::fuzz
