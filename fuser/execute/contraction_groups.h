#pragma once
// One compiler call has one setting of contraction: the kernels of a call to Engine::compile, parted by theirs.

#include <span>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

struct ContractionGroup {
  bool contraction = false;
  std::vector<const Kernel*> kernels;  // never empty
  std::vector<size_t> places;          // of each, among all kernels
};

// At most two groups, without contraction first; the kernels' order is kept.
std::vector<ContractionGroup> contractionGroups(std::span<const Kernel* const> kernels);

}  // namespace fuser
