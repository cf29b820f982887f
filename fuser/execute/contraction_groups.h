#pragma once
// Splits the kernels of an Engine::compile call by contraction, because that is a flag of a whole compiler call.

#include <span>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

struct ContractionGroup {
  bool contraction = false;
  std::vector<const Kernel*> kernels;  // never empty
  std::vector<size_t> places;          // for each one, its index among all kernels
};

// Returns at most two groups, the one without contraction first; kernels keep their order.
std::vector<ContractionGroup> contractionGroups(std::span<const Kernel* const> kernels);

}  // namespace fuser
