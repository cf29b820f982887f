// SQLite behind RAII.

#include "fuzz/campaign/database.h"

#include <sqlite3.h>

#include <cstring>

#include "fuser/support/check.h"

namespace fuser::fuzz {

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }
void Database::Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Database::check(int status) {
  if (status == SQLITE_OK || status == SQLITE_ROW || status == SQLITE_DONE) return;
  std::string what = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(status);
  const int cause = handle_ ? sqlite3_system_errno(handle_.get()) : 0;
  const bool ofSystem = (status & 0xff) == SQLITE_IOERR || (status & 0xff) == SQLITE_CANTOPEN;
  if (ofSystem && cause != 0) what += std::string(": ") + std::strerror(cause);
  switch (status & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:  // a table or column that is not there
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
      FUSER_USER_CHECK(false, "the ledger ", path_.string(), " is damaged (", what,
                       "): what was found stays in the files beside it; begin a new campaign in another folder");
    case SQLITE_FULL:
      FUSER_USER_CHECK(false, "cannot write the ledger ", path_.string(), " (", what,
                       "): make room on the disk, then go on with --resume");
    case SQLITE_IOERR:
      FUSER_USER_CHECK(false, "cannot write the ledger ", path_.string(), " (", what,
                       "): make room where the disk is full, then go on with --resume");
    case SQLITE_CANTOPEN: FUSER_USER_CHECK(false, "cannot open the ledger ", path_.string(), " (", what, ")");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      FUSER_USER_CHECK(false, "cannot open the ledger ", path_.string(), " (", what, "): is the folder read-only?");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      FUSER_USER_CHECK(false, "the ledger ", path_.string(), " is in use by another program: end that first");
    case SQLITE_NOMEM: FUSER_USER_CHECK(false, "no memory left for the ledger ", path_.string());
    default: FUSER_CHECK(false, "SQLite: ", what);
  }
}

Database::Database(const std::filesystem::path& path, Mode mode) : path_(path) {
  std::error_code error;
  FUSER_USER_CHECK(!std::filesystem::is_directory(path, error), "cannot open the ledger ", path.string(),
                   ": it is a folder");
  int flags = SQLITE_OPEN_READONLY;
  if (mode == Mode::Write) flags = SQLITE_OPEN_READWRITE;
  if (mode == Mode::Create || path.empty()) flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  open(flags);
  if (mode != Mode::Read || !hasLeftOverJournal()) return;
  open(SQLITE_OPEN_READWRITE);
  FUSER_USER_CHECK(!hasLeftOverJournal(), "cannot open the ledger ", path.string(), ": ", path.filename().string(),
                   "-journal beside it undoes a write that was cut short, and cannot be read or removed; is the folder "
                   "read-only?");
}

void Database::open(int flags) {
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(path_.empty() ? ":memory:" : path_.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  check(status);
  // A report may be made while the campaign goes on; neither waits long for the other.
  sqlite3_busy_timeout(handle, 5000);
}

bool Database::hasLeftOverJournal() {
  sqlite3_exec(handle_.get(), "SELECT 1 FROM sqlite_master", nullptr, nullptr, nullptr);
  return sqlite3_extended_errcode(handle_.get()) == SQLITE_READONLY_ROLLBACK;
}

void Database::execute(const std::string& sql) {
  check(sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

bool Database::executeUnlessBusy(const std::string& sql) {
  const int status = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (const int kind = status & 0xff; kind == SQLITE_BUSY || kind == SQLITE_LOCKED) return false;
  check(status);
  return true;
}

Database::Statement::Statement(Database& database, std::string_view sql) : database_(&database) {
  sqlite3_stmt* statement = nullptr;
  database.check(
      sqlite3_prepare_v2(database.handle_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr));
  statement_.reset(statement);
}

Database::Statement& Database::Statement::bind(int parameter, int64_t value) {
  database_->check(sqlite3_bind_int64(statement_.get(), parameter + 1, value));
  return *this;
}

Database::Statement& Database::Statement::bind(int parameter, double value) {
  database_->check(sqlite3_bind_double(statement_.get(), parameter + 1, value));
  return *this;
}

Database::Statement& Database::Statement::bind(int parameter, std::string_view value) {
  database_->check(sqlite3_bind_text(statement_.get(), parameter + 1, value.data(), static_cast<int>(value.size()),
                                     SQLITE_TRANSIENT));
  return *this;
}

Database::Statement& Database::Statement::bindBlob(int parameter, std::string_view bytes) {
  database_->check(sqlite3_bind_blob(statement_.get(), parameter + 1, bytes.data(), static_cast<int>(bytes.size()),
                                     SQLITE_TRANSIENT));
  return *this;
}

bool Database::Statement::step() {
  const int status = sqlite3_step(statement_.get());
  database_->check(status);
  return status == SQLITE_ROW;
}

void Database::Statement::run() {
  const int status = sqlite3_step(statement_.get());
  sqlite3_reset(statement_.get());
  database_->check(status);
}

int64_t Database::Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
double Database::Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Database::Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (bytes == nullptr) return "";
  return std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

std::string Database::Statement::bytes() const {
  std::string bytes;
  const auto number = [&](const auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (int column = 0; column < sqlite3_column_count(statement_.get()); ++column) {
    const int type = sqlite3_column_type(statement_.get(), column);
    number(type);
    switch (type) {
      case SQLITE_INTEGER: number(integer(column)); break;
      case SQLITE_FLOAT: number(real(column)); break;
      case SQLITE_TEXT:
      case SQLITE_BLOB: {
        const std::string value = type == SQLITE_TEXT ? text(column) : blob(column);
        number(value.size());
        bytes += value;
        break;
      }
      default: break;  // NULL
    }
  }
  return bytes;
}

std::string Database::Statement::blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  if (bytes == nullptr) return "";
  return std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

}  // namespace fuser::fuzz
