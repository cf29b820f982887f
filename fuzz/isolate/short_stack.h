#pragma once
// shortStack(): the detail of a dead worker for a terminal.

#include <string>

namespace fuser::fuzz {

// The first line as it is; of the symbolised frames below it, those of the signal handler are left out, a run of frames
// that repeats stands once with how often, and what is past 40 lines is counted.
std::string shortStack(const std::string& detail);

}  // namespace fuser::fuzz
