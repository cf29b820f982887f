#pragma once
// Tests that ctest samples. A target check_* (tests/README.md) sets FUSER_FULL=1, and they run whole.

#include <cstddef>
#include <cstdlib>

namespace fuser {

inline bool inFull() { return std::getenv("FUSER_FULL") != nullptr; }

// How far a loop steps that ctest takes one in `step` rounds of.
inline size_t sampleStep(size_t step) { return inFull() ? 1 : step; }

}  // namespace fuser
