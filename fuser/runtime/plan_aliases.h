#pragma once
// Where outputs that reuse an input's memory are written: in place where nobody reads the input afterwards, else to
// memory of their own and copied at the end.

#include <vector>

#include "fuser/host_ir/host_ir_lower.h"

namespace fuser {

// The outputs that overwrite an input (Fusion::aliases()) in place, in the order of their numbers. Reorders the groups
// (still a topological order) so that those that read an input come before the one that overwrites it, and gives
// outputs that are written in place the input's layout, of which nothing is known but the order of axes.
std::vector<const TensorView*> planAliases(Fusion& fusion, std::vector<HostGroup>& groups);

}  // namespace fuser
