// GroupsPartition: every live expression is in one group, edges and values tell the same, and the groups' graph has an
// order.

#include "fuser/segment/segmented_fusion.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkGroupsPartition(const Compilation& compilation) {
  const std::vector<std::string> broken = findBrokenInvariants(compilation.segmented);
  return broken.empty() ? "" : broken.front();
}

}  // namespace oracle
