// What a scatter adds, atomics add in any order, or threads in one.

#include <algorithm>

#include "fuser/schedule/facts.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool flipDeterministic(Case& testCase, uint64_t) {
  const std::vector<Expr*> exprs = testCase.fusion->exprs();
  if (std::none_of(exprs.begin(), exprs.end(), mayAddByAtomics)) return false;
  testCase.options.deterministic = !testCase.options.deterministic;
  return true;
}

}  // namespace fuser::fuzz
