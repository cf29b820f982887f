#pragma once
// What lies in a campaign's folder, told before anything is written to it.

#include <filesystem>
#include <string>
#include <vector>

namespace fuser::fuzz {

// Whether a campaign gives such names: "mismatch-<sha1>.fusion", "minimized-from-<sha1>.fusion",
// "mismatch-<sha1>.sequence".
bool isArtifact(const std::filesystem::path& path);

// The names of the artifacts and of campaign.log in the folder, in order.
std::vector<std::string> filesOfResults(const std::filesystem::path& folder);

// Whether a campaign has left a report, its log or a finding there.
bool holdsResults(const std::filesystem::path& folder);

// A UserError where a campaign must not begin (resume: go on) in the folder: its ledger does not exist. Makes nothing.
void checkLedgerIsThere(const std::filesystem::path& folder, bool resume);

}  // namespace fuser::fuzz
