#pragma once
// Digest: one number for all rows of a ledger, kept in the ledger and checked when it is opened, so that a bit that
// changes on the disk is noticed. It is the sum, modulo 2^64, of a hash of each row, and depends on no order: who
// changes rows subtracts the digest of what they were and adds that of what they are.

#include <cstdint>
#include <optional>
#include <string>

#include "fuzz/campaign/database.h"

namespace fuser::fuzz {

inline constexpr const char* kDigestTable =
    "CREATE TABLE digest(id INTEGER PRIMARY KEY CHECK(id = 0), sum INTEGER NOT NULL);";

// rows: a table, or some of its rows: "journal", "journal WHERE id = 7".
uint64_t digestOf(Database& database, const std::string& rows);
// Of all tables but its own.
uint64_t digestOfAll(Database& database);

void writeDigest(Database& database, uint64_t digest);
std::optional<uint64_t> readDigest(Database& database);  // nothing where it is missing

}  // namespace fuser::fuzz
