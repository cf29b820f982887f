#pragma once
// The target that needs the oracle: generates a case from the bytes as choices and judges it.

#include "fuzz/targets/targets.h"

namespace fuser::fuzz {

// Writes a finding to <verdict>-<fingerprint>.fusion in the folder FUSERFUZZ_FINDINGS (default: the working folder),
// and throws a CheckError with the command that replays it.
void endToEndTarget(Bytes choices);

}  // namespace fuser::fuzz
