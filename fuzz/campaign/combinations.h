#pragma once
// Combinations: op x dtype x rank. What no case of a campaign had cannot have been found wrong, so that a campaign
// lists which combinations it never drew, and each has a small case that can be judged directly.

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// The op's name; dtype and rank of its first tensor operand, conditions aside, or of its result if it has none.
using Combination = std::array<std::string, 3>;

// Of the fusion's ops on tensors.
std::set<Combination> combinationsOf(const Fusion& fusion);

// A case of one op, with such an operand of sizes 2 and 3: its text. nullopt if the op takes no operand of the dtype or
// the rank, by the op table and the rules of its family.
std::optional<std::string> caseOf(const Combination& combination);

// All that have a case, in the order of ops, dtypes and ranks.
const std::vector<Combination>& possibleCombinations();

std::string toString(const Combination& combination);  // "Pad f32 rank 5"

}  // namespace fuser::fuzz
