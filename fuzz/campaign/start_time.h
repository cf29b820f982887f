#pragma once
// When a campaign or a selftest begins, as its files say it: history orders nights by it.

#include <string>

namespace fuser::fuzz {

// UTC, to the second: "2026-01-31T22:00:00Z". Texts of this form compare as the times do.
std::string timeNow();

}  // namespace fuser::fuzz
