#pragma once
// In-place outputs: resolves the names in a case's `alias` lines to the values in Fusion::aliases(). An alias has only
// these two forms.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// Maps {"y", "x"}, the line `alias %y -> %x`, to the pair (first index of %y in the fusion's outputs, the input %x).
// A UserError when there is no such output or input, or when whyNoAlias returns a reason.
std::map<size_t, Val*> aliasesIn(const Fusion& fusion, const std::vector<std::pair<std::string, std::string>>& named);

// The index of the first value with that name. A UserError when there is none.
size_t indexOfNamed(const std::vector<Val*>& vals, const std::string& name);

}  // namespace fuser
