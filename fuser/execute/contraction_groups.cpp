#include "fuser/execute/contraction_groups.h"

namespace fuser {

std::vector<ContractionGroup> contractionGroups(std::span<const Kernel* const> kernels) {
  std::vector<ContractionGroup> groups;
  for (const bool contraction : {false, true}) {
    ContractionGroup group{contraction, {}, {}};
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (kernels[i]->contraction != contraction) continue;
      group.kernels.push_back(kernels[i]);
      group.places.push_back(i);
    }
    if (!group.kernels.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace fuser
