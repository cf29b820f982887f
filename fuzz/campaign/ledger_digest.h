#pragma once
// Digest: one number for all rows of a ledger, stored in the ledger and checked when it is opened, so that a changed
// bit on disk is detected. It is the sum, modulo 2^64, of a hash of each row, so it does not depend on their order: a
// change of rows subtracts the digest of the old ones and adds that of the new ones.

#include <cstdint>
#include <optional>
#include <string>

#include "fuzz/campaign/database.h"

namespace fuser::fuzz {

inline constexpr const char* kDigestTable =
    "CREATE TABLE digest(id INTEGER PRIMARY KEY CHECK(id = 0), sum INTEGER NOT NULL);";

// rows: a table or some of its rows: "journal", "journal WHERE id = 7".
uint64_t digestOf(Database& database, const std::string& rows);
// The digest of all tables except its own.
uint64_t digestOfAll(Database& database);

void writeDigest(Database& database, uint64_t digest);
std::optional<uint64_t> readDigest(Database& database);  // nullopt if it is missing

}  // namespace fuser::fuzz
