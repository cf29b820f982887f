#pragma once
// Structural equality of fusions: node by node in order; names of values and symbols do not count, their pattern does.

#include <string>

#include "fuser/ir/fusion.h"

namespace fuser {

// Empty when equal; otherwise where they differ first, in one line, for a person: "…  against  …".
std::string firstDifference(const Fusion& a, const Fusion& b);
inline bool sameFusion(const Fusion& a, const Fusion& b) { return firstDifference(a, b).empty(); }

// Equal for equal fusions (in the sense above); dead code counts. For oscillation checks, `modified` checks, memo keys.
uint64_t fingerprint(const Fusion& fusion);

}  // namespace fuser
