#pragma once
// giveNames(): the names of a program that was just built, as its text or its edit has them.

#include <functional>
#include <map>
#include <string>

#include "fuser/ir/fusion.h"

namespace fuser {

using NamedVals = std::map<std::string, Val*, std::less<>>;

// Gives every used value the name that it prints with. `named`: values that keep their names; another value that a
// builder gave such a name gets one of its own.
void giveNames(Fusion& fusion, const NamedVals& named);

}  // namespace fuser
