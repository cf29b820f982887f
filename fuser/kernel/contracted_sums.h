#pragma once
// contractedSums: in which forms a kernel computes each `add` and `sub` that contraction may make an fma of.

#include <utility>
#include <vector>

#include "fuser/kernel/kernel.h"
#include "fuser/types/sum_forms.h"

namespace fuser {

// (result, forms) of each floating add and sub named by Compute::source, by id; none without contraction.
std::vector<std::pair<const Val*, SumForms>> contractedSums(const Kernel& kernel);

}  // namespace fuser
