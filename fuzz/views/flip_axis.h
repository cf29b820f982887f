#pragma once
// An axis in the opposite order: it is flipped in every input that has it, and flipped back in every output. Holds
// where each op treats the axis alike at all places: it stays an axis of its own, or is reduced, which leaves the order
// open; nothing counts along it, cuts it or joins it with others.

#include "fuser/case/case.h"

namespace fuser::fuzz {

// Flips an axis that some op reduces, or one that none reduces. False if the case has none.
bool flipAxis(Case& testCase, uint64_t draw, bool isReduced);

}  // namespace fuser::fuzz
