#pragma once
// Reads a night's folder for a history of nights.

#include <filesystem>

#include "reports/night.h"

namespace fuser::fuzz {

// What a night's folder may hold beside a campaign: what `selftest --out` writes (there, or in a folder of this name),
// and what `fuser-opt corpus/seeds/*.fusion --print=cost` prints.
inline constexpr const char* kSelftestName = "selftest.json";
inline constexpr const char* kSelftestFolder = "selftest";
inline constexpr const char* kSeedsName = "seeds.txt";

// The campaign is read from its ledger, or, where that is missing or of another version of the program, from its
// report.json. A file that cannot be read is left out, with a note. page: the folder of the page that links to the
// night's report. A UserError if the folder holds neither a campaign nor a selftest.
reports::Night nightIn(const std::filesystem::path& folder, const std::filesystem::path& page);

}  // namespace fuser::fuzz
