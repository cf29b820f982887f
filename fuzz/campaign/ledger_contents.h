#pragma once
// Reading of a ledger's tables. Whatever is wrong with them is a UserError that names the file.

#include <filesystem>

#include "fuzz/campaign/ledger.h"

namespace fuser::fuzz {

// In the column of a finding's task, where it has none.
inline constexpr const char* kNoTaskText = "text";

bool hasTables(Database& database);
// Structure, version and rows are as a ledger wrote them.
void checkSound(Database& database, const std::filesystem::path& path);
Ledger::Stamp readStamp(Database& database, const std::filesystem::path& path);
// Checked, and in one transaction, so that a campaign that goes on meanwhile shows one moment.
Ledger::Contents readContents(Database& database, const std::filesystem::path& path);

}  // namespace fuser::fuzz
