#pragma once
// Cases of a campaign that are mutants of given ones, its parents.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// The share of the cases of a campaign with parents that are mutants.
inline constexpr double kMutantShare = 0.5;

// Case `number` of a seed as one of the parents after one to four mutations, with the metadata that identifies it; a
// run of it may be rejected. nullopt if this number is to be generated. A UserError for a parent that does not parse.
std::optional<Case> mutantOf(const std::vector<std::string>& parents, uint64_t seed, uint64_t number);

// The parent after so many mutations, which may take code from the donor, as case `number` of a seed; after none it is
// the parent. A UserError for a text that does not parse.
Case mutantOf(const std::string& parent, const std::string& donor, int64_t mutations, uint64_t seed, uint64_t number);

}  // namespace fuser::fuzz
