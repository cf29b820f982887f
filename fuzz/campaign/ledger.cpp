// Tables of a campaign's ledger, and what goes in.

#include "fuzz/campaign/ledger.h"

#include "fuzz/campaign/campaign_folder.h"
#include "fuzz/campaign/ledger_contents.h"
#include "fuzz/campaign/ledger_digest.h"
#include "fuzz/campaign/task_in_fields.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kTables = R"(
CREATE TABLE stamp(place INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value TEXT NOT NULL);
CREATE TABLE settings(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE files(number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, sha1 TEXT NOT NULL);
CREATE TABLE journal(id INTEGER PRIMARY KEY, task TEXT NOT NULL UNIQUE, result BLOB NOT NULL, seconds REAL NOT NULL,
                     campaign_seconds REAL NOT NULL);
CREATE TABLE snapshot(id INTEGER PRIMARY KEY CHECK(id = 0), sums TEXT NOT NULL, campaign_seconds REAL NOT NULL);
CREATE TABLE findings(id INTEGER PRIMARY KEY, task TEXT NOT NULL, finding TEXT NOT NULL);
CREATE TABLE progress(seconds REAL NOT NULL, cases INTEGER NOT NULL, findings INTEGER NOT NULL,
                      compiler_seconds REAL NOT NULL, minimizer_seconds REAL NOT NULL);
CREATE TABLE minimized(finding TEXT PRIMARY KEY, minimized TEXT NOT NULL);
)";

std::string recordOf(const LedgerFinding& finding) { return reports::toJsonText<FindingRecord>(finding); }

}  // namespace

std::string taskText(const LedgerFinding& finding) { return finding.task ? printTask(*finding.task) : kNoTaskText; }

Ledger::Ledger() : database_(std::make_unique<Database>("", Database::Mode::Create)) {
  createTables();
  isNew_ = true;
  prepare();
}

Ledger::Ledger(const std::filesystem::path& folder, bool resume) {
  const std::filesystem::path path = folder / kLedgerName;
  checkLedgerIsThere(folder, resume);
  lock_.emplace(folder);
  database_ = std::make_unique<Database>(path, Database::Mode::Create);
  isNew_ = !hasTables(*database_);
  FUSER_USER_CHECK(!isNew_ || !holdsResults(folder), "the ledger ", path.string(),
                   " is empty, and results of a campaign lie beside it: put the ledger back, or begin a new campaign ",
                   "in another folder");
  FUSER_USER_CHECK(isNew_ || resume, folder.string(),
                   " holds a campaign already: --resume goes on with it; or name another folder");
  // Durable against the end of the process, however it comes, without waiting for the disk at every commit.
  database_->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  if (isNew_) return;
  checkSound(*database_, path);
  digest_ = readDigest(*database_).value();
  prepare();
}

Ledger::Stamp Ledger::stamp() { return readStamp(*database_, kLedgerName); }

void Ledger::createTables() {
  open();
  database_->execute(kTables);
  database_->execute(kDigestTable);
  database_->execute(concat("PRAGMA user_version = ", kLedgerVersion));
}

// Tables and stamp appear together: a process killed before leaves an empty file, which counts as none.
void Ledger::begin(const Stamp& stamp, const std::vector<std::pair<std::string, std::string>>& files) {
  if (lock_) createTables();
  open();
  Statement key(*database_, "INSERT INTO stamp VALUES(?, ?, ?)");
  for (size_t i = 0; i < stamp.size(); ++i)
    key.bind(0, static_cast<int64_t>(i)).bind(1, stamp[i].first).bind(2, stamp[i].second).run();
  Statement file(*database_, "INSERT INTO files VALUES(?, ?, ?)");
  for (size_t i = 0; i < files.size(); ++i)
    file.bind(0, static_cast<int64_t>(i)).bind(1, files[i].first).bind(2, files[i].second).run();
  digest_ = digestOfAll(*database_);
  commit();
  prepare();
}

void Ledger::prepare() {
  insertRow_.emplace(*database_, "INSERT INTO journal(task, result, seconds, campaign_seconds) VALUES(?, ?, ?, ?)");
}

Ledger::Contents Ledger::load() {
  commit();
  Contents contents = readContents(*database_, kLedgerName);
  Statement count(*database_, "SELECT count(*) FROM journal");
  count.step();
  unfolded_ = static_cast<int>(count.integer(0));
  return contents;
}

void Ledger::open() {
  if (inTransaction_) return;
  database_->execute("BEGIN IMMEDIATE");
  inTransaction_ = true;
  opened_ = std::chrono::steady_clock::now();
}

void Ledger::commit() {
  if (!inTransaction_) return;
  writeDigest(*database_, digest_);
  database_->execute("COMMIT");
  inTransaction_ = false;
}

void Ledger::commitIfDue() {
  if (!inTransaction_) return;
  const std::chrono::duration<double> age = std::chrono::steady_clock::now() - opened_;
  if (age.count() >= kCommitSeconds) commit();
}

void Ledger::close() {
  commit();
  insertRow_.reset();
  // A report may be reading it: then two files more stay until it is opened again.
  database_->executeUnlessBusy("PRAGMA journal_mode = DELETE");
}

template <class Write>
void Ledger::change(const std::string& rows, const Write& write) {
  open();
  digest_ -= digestOf(*database_, rows);
  write();
  digest_ += digestOf(*database_, rows);
}

void Ledger::setSetting(const std::string& key, const std::string& value) {
  change("settings", [&] {
    Statement(*database_, "INSERT INTO settings VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value")
        .bind(0, key)
        .bind(1, value)
        .run();
  });
}

void Ledger::record(const std::string& key, const std::string& result, double seconds, double campaignSeconds) {
  open();
  insertRow_->bind(0, key).bindBlob(1, result).bind(2, seconds).bind(3, campaignSeconds).run();
  digest_ += digestOf(*database_, "journal WHERE id = last_insert_rowid()");
  ++unfolded_;
}

void Ledger::fold(const Accounting& accounting, double campaignSeconds) {
  change("snapshot", [&] {
    Statement(*database_, "INSERT OR REPLACE INTO snapshot VALUES(0, ?, ?)")
        .bind(0, accounting.toJson())
        .bind(1, campaignSeconds)
        .run();
  });
  change("journal", [&] { database_->execute("DELETE FROM journal"); });
  commit();
  unfolded_ = 0;
}

int64_t Ledger::add(const LedgerFinding& finding) {
  open();
  Statement(*database_, "INSERT INTO findings(task, finding) VALUES(?, ?)")
      .bind(0, taskText(finding))
      .bind(1, recordOf(finding))
      .run();
  digest_ += digestOf(*database_, "findings WHERE id = last_insert_rowid()");
  Statement id(*database_, "SELECT last_insert_rowid()");
  id.step();
  return id.integer(0);
}

void Ledger::update(const LedgerFinding& finding) {
  change(concat("findings WHERE id = ", finding.id), [&] {
    Statement(*database_, "UPDATE findings SET task = ?, finding = ? WHERE id = ?")
        .bind(0, taskText(finding))
        .bind(1, recordOf(finding))
        .bind(2, finding.id)
        .run();
  });
}

void Ledger::setProgress(const std::vector<reports::Progress>& points) {
  change("progress", [&] {
    database_->execute("DELETE FROM progress");
    Statement insert(*database_, "INSERT INTO progress VALUES(?, ?, ?, ?, ?)");
    for (const reports::Progress& point : points) {
      insert.bind(0, point.seconds).bind(1, point.cases).bind(2, point.findings);
      insert.bind(3, point.compilerSeconds).bind(4, point.minimizerSeconds).run();
    }
  });
}

void Ledger::add(const reports::MinimizedFinding& minimized) {
  change("minimized", [&] {
    Statement(*database_, "INSERT OR REPLACE INTO minimized VALUES(?, ?)")
        .bind(0, minimized.finding)
        .bind(1, reports::toJsonText(minimized))
        .run();
  });
}

}  // namespace fuser::fuzz
