#pragma once
// Structural equality of fusions, node by node in order, up to renaming of values and symbols (alpha-equivalence).

#include <string>

#include "fuser/ir/fusion.h"

namespace fuser {

// Empty when equal; otherwise the first difference as one line of text: "…  against  …".
std::string firstDifference(const Fusion& a, const Fusion& b);
inline bool sameFusion(const Fusion& a, const Fusion& b) { return firstDifference(a, b).empty(); }

// A 64-bit hash, equal for equal fusions; dead code counts. It is a memo key and detects changes and oscillation.
uint64_t fingerprint(const Fusion& fusion);

}  // namespace fuser
