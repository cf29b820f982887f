#pragma once
// Reads a ledger's tables. Every error in them is a UserError that names the file.

#include <filesystem>

#include "fuzz/campaign/ledger.h"

namespace fuser::fuzz {

// The value of a finding's task column if it has no task.
inline constexpr const char* kNoTaskText = "text";

bool hasTables(Database& database);
// Checks version, structure and digest.
void checkSound(Database& database, const std::filesystem::path& path);
Ledger::Stamp readStamp(Database& database, const std::filesystem::path& path);
// Checks and reads everything in one transaction, so that the result is consistent while a campaign runs.
Ledger::Contents readContents(Database& database, const std::filesystem::path& path);

}  // namespace fuser::fuzz
