#pragma once
// Outputs that overwrite an input: from the case's form, names as they are written, to the IR's, as Fusion::aliases()
// has them. There is no third.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// {{"y", "x"}}, of `alias %y -> %x` -> number of %y among the fusion's outputs, where it is returned first -> %x.
// A UserError where the fusion has no such output or input, or whyNoAlias says something.
std::map<size_t, Val*> aliasesIn(const Fusion& fusion, const std::vector<std::pair<std::string, std::string>>& named);

// The number of the first value that has the name. A UserError where none has.
size_t placeOf(const std::vector<Val*>& vals, const std::string& name);

}  // namespace fuser
