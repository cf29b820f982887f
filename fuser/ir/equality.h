#pragma once
// Structural equality of fusions, node by node in order, up to renaming (alpha-equivalence); not of meshes and streams.

#include <string>

#include "fuser/ir/fusion.h"

namespace fuser {

// Empty when equal; otherwise the first difference as one line of text: "…  against  …".
std::string firstDifference(const Fusion& a, const Fusion& b);
inline bool sameFusion(const Fusion& a, const Fusion& b) { return firstDifference(a, b).empty(); }

// A 64-bit hash, equal for equal fusions, on every machine; dead code counts. It detects changes and names files.
uint64_t fingerprint(const Fusion& fusion);

}  // namespace fuser
