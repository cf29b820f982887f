#include "fuzz/compilers/exact_case.h"

#include <algorithm>

#include "fuzz/compilers/special_cases.h"
#include "reports/fields_sum.h"

namespace fuser::fuzz {

void ExactCase::add(const std::vector<std::optional<reference::Value>>& values, const Exactness& exactness) {
  const std::vector<Val*>& outputs = case_.fusion->outputs();
  const auto exact =
      std::count_if(outputs.begin(), outputs.end(), [&](const Val* output) { return exactness.of(*output).empty(); });
  const bool isExact = exact == static_cast<int64_t>(outputs.size());
  ++counts_.runs;
  counts_.exactRuns += isExact;
  counts_.outputs += static_cast<int64_t>(outputs.size());
  counts_.exactOutputs += exact;
  reports::addTo(counts_.ops, exactness.ops);
  for (const std::string& name : specialCases(case_, values)) counts_.special[name] = 1;
  counts_.cases = 1;
  counts_.exactCases = counts_.exactRuns == counts_.runs;
  counts_.expressions.clear();
  counts_.longCases = 0;
  if (counts_.exactCases == 0) return;
  counts_.expressions[static_cast<int64_t>(case_.fusion->exprs().size())] = 1;
  counts_.longCases = hasReduction(*case_.fusion) || hasViewChain(*case_.fusion);
}

}  // namespace fuser::fuzz
