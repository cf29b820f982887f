#pragma once
// The target that needs the oracle: bytes are the generator's choices, and the case that they give is judged.

#include "fuzz/targets/targets.h"

namespace fuser::fuzz {

// A finding is written to <verdict>-<fingerprint>.fusion in the working folder, or the one that FUSERFUZZ_FINDINGS
// names, and thrown as a CheckError with the line that replays it.
void endToEndTarget(Bytes choices);

}  // namespace fuser::fuzz
