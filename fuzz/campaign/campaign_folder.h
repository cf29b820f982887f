#pragma once
// Checks the contents of a campaign's folder before anything is written to it.

#include <filesystem>
#include <string>
#include <vector>

namespace fuser::fuzz {

// Whether the name is that of an artifact: "mismatch-<sha1>.fusion", "minimized-from-<sha1>.fusion",
// "mismatch-<sha1>.sequence".
bool isArtifact(const std::filesystem::path& path);

// The names of the artifacts in the folder and, if it exists, campaign.log, sorted.
std::vector<std::string> filesOfResults(const std::filesystem::path& folder);

// Whether the folder has a report, a log or a finding of a campaign.
bool holdsResults(const std::filesystem::path& folder);

// A UserError if no campaign may start (or, with `resume`, continue) in a folder without a ledger. Creates nothing.
void checkLedgerIsThere(const std::filesystem::path& folder, bool resume);

}  // namespace fuser::fuzz
