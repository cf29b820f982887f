#pragma once
// Decides how in-place outputs are written: directly over the input if nothing reads the input afterwards, otherwise to
// memory of their own with a copy at the end.

#include <vector>

#include "fuser/analysis/compile_context.h"
#include "fuser/host_ir/host_ir_lower.h"

namespace fuser {

// Returns the outputs of Fusion::aliases() that are written directly, by number, each behind what is in place before it
// (TensorDomain::inPlace): its slices alone are stored. A slice that its kernel cannot store there gets a kernel that
// copies it, with an expression and a group that are new. What cannot be stored so either, and what a merge_predicate
// of the case puts into one group with what a kernel makes, is in place no longer: a scheduler takes its group, without
// what stays in place. Reorders the groups, topologically, so that readers of an input come before the group that
// overwrites it, and gives these outputs the input's layout, of which only the order of axes is known.
std::vector<const TensorView*> planAliases(Fusion& fusion, std::vector<HostGroup>& groups,
                                           const CompileContext& context);

}  // namespace fuser
