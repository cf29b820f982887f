#include "fuzz/campaign/ledger_digest.h"

#include <vector>

namespace fuser::fuzz {
namespace {

// FNV-1a (Fowler, Noll and Vo): a change of one byte always changes it.
uint64_t hashOf(const std::string& bytes) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3ull;
  return hash;
}

}  // namespace

uint64_t digestOf(Database& database, const std::string& rows) {
  const std::string table = rows.substr(0, rows.find(' '));
  uint64_t digest = 0;
  for (Database::Statement row(database, "SELECT * FROM " + rows); row.step();) digest += hashOf(table + row.bytes());
  return digest;
}

uint64_t digestOfAll(Database& database) {
  std::vector<std::string> tables;
  for (Database::Statement row(database, "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'digest'");
       row.step();)
    tables.push_back(row.text(0));
  uint64_t digest = 0;
  for (const std::string& table : tables) digest += digestOf(database, table);
  return digest;
}

void writeDigest(Database& database, uint64_t digest) {
  Database::Statement(database, "INSERT OR REPLACE INTO digest VALUES(0, ?)")
      .bind(0, static_cast<int64_t>(digest))
      .run();
}

std::optional<uint64_t> readDigest(Database& database) {
  Database::Statement row(database, "SELECT sum FROM digest");
  if (!row.step()) return std::nullopt;
  return static_cast<uint64_t>(row.integer(0));
}

}  // namespace fuser::fuzz
