#pragma once
// giveNames(): restores, in a newly built program, the names that its text or its edit specifies.

#include <functional>
#include <map>
#include <string>

#include "fuser/ir/fusion.h"

namespace fuser {

using NamedVals = std::map<std::string, Val*, std::less<>>;

// Gives every used value the name with which it prints. Values in `named` keep their names; a value to which a builder
// gave one of these names gets a new one.
void giveNames(Fusion& fusion, const NamedVals& named);

}  // namespace fuser
