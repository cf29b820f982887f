#pragma once
// What compilers treat as special: a generated campaign counts how many of its cases have each (fuzz/generate draws
// them on purpose for `--exact-data`: exact_draws.def).

#include <set>
#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {

// All names, in the order of special_cases.def.
std::vector<std::string> allSpecialCases();

// Those that the case has in the run with these values, reference::evaluate's of the fusion.
std::set<std::string> specialCases(const Case& testCase, const std::vector<std::optional<reference::Value>>& values);

bool hasReduction(const Fusion& fusion);
// Whether an op that only moves elements reads another one's result.
bool hasViewChain(const Fusion& fusion);

}  // namespace fuser::fuzz
