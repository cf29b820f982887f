#pragma once
// shortStack(): shortens the detail of a dead worker for a terminal.

#include <string>

namespace fuser::fuzz {

// Keeps the first line. Of the symbolised frames below it, omits those of the signal handler, prints repeated frames
// once with their number, and counts the rest after 40 lines.
std::string shortStack(const std::string& detail);

}  // namespace fuser::fuzz
