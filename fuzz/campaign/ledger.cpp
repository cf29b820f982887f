// Tables of a campaign's ledger: what goes in, and all of it out again.

#include "fuzz/campaign/ledger.h"

#include <algorithm>

#include "fuzz/campaign/task_json.h"

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
CREATE TABLE progress(seconds REAL NOT NULL, cases INTEGER NOT NULL, findings INTEGER NOT NULL);
CREATE TABLE minimized(bucket TEXT PRIMARY KEY, minimized TEXT NOT NULL);
)";

constexpr const char* kNoTask = "text";

// An artifact lies in the folder itself, whatever a ledger says.
std::string plainName(const std::string& file) { return std::filesystem::path(file).filename().string(); }

LedgerFinding findingFrom(const Database::Statement& row) {
  LedgerFinding finding;
  static_cast<FindingRecord&>(finding) = reports::fromJsonText<FindingRecord>(row.text(2));
  finding.id = row.integer(0);
  const std::string task = row.text(1);
  if (task != kNoTask) finding.task = parseTask<SingleTask>(task);
  finding.file = plainName(finding.file);
  finding.sequenceFile = plainName(finding.sequenceFile);
  FUSER_USER_CHECK(verdictFromName(finding.kind).has_value(), "no verdict is called '", finding.kind, "'");
  return finding;
}

std::string recordOf(const LedgerFinding& finding) { return reports::toJsonText<FindingRecord>(finding); }

reports::MinimizedFinding minimizedFrom(const std::string& text) {
  reports::MinimizedFinding minimized = reports::fromJsonText<reports::MinimizedFinding>(text);
  reports::checkEdges(minimized.picture);
  return minimized;
}

Ledger::Stamp stampIn(Database& database) {
  Ledger::Stamp stamp;
  for (Database::Statement row(database, "SELECT key, value FROM stamp ORDER BY place"); row.step();)
    stamp.emplace_back(row.text(0), row.text(1));
  return stamp;
}

Ledger::Contents contentsOf(Database& database) {
  using Statement = Database::Statement;
  Ledger::Contents contents;
  contents.stamp = stampIn(database);
  for (Statement row(database, "SELECT key, value FROM settings"); row.step();)
    contents.settings[row.text(0)] = row.text(1);
  for (Statement row(database, "SELECT path, sha1 FROM files ORDER BY number"); row.step();)
    contents.files.emplace_back(row.text(0), row.text(1));
  for (Statement row(database, "SELECT sums, campaign_seconds FROM snapshot"); row.step();) {
    contents.accounting = Accounting::fromJson(row.text(0));
    contents.seconds = row.real(1);
  }
  for (Statement row(database, "SELECT task, result, seconds, campaign_seconds FROM journal ORDER BY id");
       row.step();) {
    contents.accounting.add(row.text(0), decodeResult(row.blob(1)), row.real(2));
    contents.seconds = std::max(contents.seconds, row.real(3));
  }
  for (Statement row(database, "SELECT id, task, finding FROM findings ORDER BY id"); row.step();)
    contents.findings.push_back(findingFrom(row));
  for (Statement row(database, "SELECT seconds, cases, findings FROM progress ORDER BY seconds"); row.step();)
    contents.progress.push_back({row.real(0), row.integer(1), row.integer(2)});
  for (Statement row(database, "SELECT minimized FROM minimized ORDER BY bucket"); row.step();)
    contents.minimized.push_back(minimizedFrom(row.text(0)));
  if (!contents.progress.empty()) contents.seconds = std::max(contents.seconds, contents.progress.back().seconds);
  return contents;
}

// What `reading` gives; what goes wrong in it is said of the ledger.
template <class Reading>
auto readFrom(const std::filesystem::path& path, const Reading& reading) {
  try {
    return reading();
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {
    throwUserError(concat("the ledger ", path.string(), " is damaged (", error.what(),
                          "): what was found stays in the files beside it; begin a new campaign in another folder"));
  }
}

// Reads everything in one transaction, so that a campaign that goes on meanwhile shows one moment.
Ledger::Contents read(Database& database, const std::filesystem::path& path) {
  return readFrom(path, [&] {
    database.execute("SAVEPOINT reading");
    Ledger::Contents contents = contentsOf(database);
    database.execute("RELEASE reading");
    return contents;
  });
}

void checkVersion(Database& database, const std::filesystem::path& path) {
  Database::Statement row(database, "PRAGMA user_version");
  const int64_t version = row.step() ? row.integer(0) : 0;
  FUSER_USER_CHECK(version == kLedgerVersion, "the ledger ", path.string(),
                   " was written by another version of this program (ledger version ", version, ", and this reads ",
                   kLedgerVersion, "): what was found stays in the files beside it; ",
                   "begin a new campaign in another folder");
}

bool hasTables(Database& database) {
  Database::Statement count(database, "SELECT count(*) FROM sqlite_master");
  count.step();
  return count.integer(0) > 0;
}

}  // namespace

std::string taskText(const LedgerFinding& finding) { return finding.task ? printTask(*finding.task) : kNoTask; }

Ledger::Ledger() : database_(std::make_unique<Database>("", Database::Mode::Create)) {
  createTables();
  isNew_ = true;
  prepare();
}

Ledger::Ledger(const std::filesystem::path& folder, bool resume) {
  const std::filesystem::path path = folder / kLedgerName;
  lock_.emplace(folder);
  database_ = std::make_unique<Database>(path, Database::Mode::Create);
  isNew_ = !hasTables(*database_);
  FUSER_USER_CHECK(isNew_ || resume, folder.string(),
                   " holds a campaign already: --resume goes on with it; or name another folder");
  // Durable against the end of the process, however it comes, without waiting for the disk at every commit.
  database_->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  if (isNew_) return;
  Statement check(*database_, "PRAGMA quick_check(1)");
  std::string state = check.step() ? check.text(0) : "";
  std::replace(state.begin(), state.end(), '\n', ' ');
  FUSER_USER_CHECK(state == "ok", "the ledger ", path.string(), " is damaged (", state,
                   "): what was found stays in the files beside it; begin a new campaign in another folder");
  checkVersion(*database_, path);
  prepare();
}

Ledger::Stamp Ledger::stamp() {
  return readFrom(kLedgerName, [&] { return stampIn(*database_); });
}

void Ledger::createTables() {
  open();
  database_->execute(kTables);
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
  commit();
  prepare();
}

void Ledger::prepare() {
  insertRow_.emplace(*database_, "INSERT INTO journal(task, result, seconds, campaign_seconds) VALUES(?, ?, ?, ?)");
}

Ledger::Contents Ledger::load() {
  commit();
  Contents contents = read(*database_, kLedgerName);
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
  database_->execute("COMMIT");
  inTransaction_ = false;
}

void Ledger::commitIfDue() {
  if (!inTransaction_) return;
  const std::chrono::duration<double> age = std::chrono::steady_clock::now() - opened_;
  if (age.count() >= kCommitSeconds) commit();
}

void Ledger::setSetting(const std::string& key, const std::string& value) {
  open();
  Statement(*database_, "INSERT INTO settings VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value")
      .bind(0, key)
      .bind(1, value)
      .run();
}

void Ledger::record(const std::string& key, const std::string& result, double seconds, double campaignSeconds) {
  open();
  insertRow_->bind(0, key).bindBlob(1, result).bind(2, seconds).bind(3, campaignSeconds).run();
  ++unfolded_;
}

void Ledger::fold(const Accounting& accounting, double campaignSeconds) {
  open();
  Statement(*database_, "INSERT OR REPLACE INTO snapshot VALUES(0, ?, ?)")
      .bind(0, accounting.toJson())
      .bind(1, campaignSeconds)
      .run();
  database_->execute("DELETE FROM journal");
  commit();
  unfolded_ = 0;
}

int64_t Ledger::add(const LedgerFinding& finding) {
  open();
  Statement(*database_, "INSERT INTO findings(task, finding) VALUES(?, ?)")
      .bind(0, taskText(finding))
      .bind(1, recordOf(finding))
      .run();
  Statement id(*database_, "SELECT last_insert_rowid()");
  id.step();
  return id.integer(0);
}

void Ledger::update(const LedgerFinding& finding) {
  open();
  Statement(*database_, "UPDATE findings SET task = ?, finding = ? WHERE id = ?")
      .bind(0, taskText(finding))
      .bind(1, recordOf(finding))
      .bind(2, finding.id)
      .run();
}

void Ledger::setProgress(const std::vector<reports::Progress>& points) {
  open();
  database_->execute("DELETE FROM progress");
  Statement insert(*database_, "INSERT INTO progress VALUES(?, ?, ?)");
  for (const reports::Progress& point : points)
    insert.bind(0, point.seconds).bind(1, point.cases).bind(2, point.findings).run();
}

void Ledger::add(const reports::MinimizedFinding& minimized) {
  open();
  Statement(*database_, "INSERT OR REPLACE INTO minimized VALUES(?, ?)")
      .bind(0, minimized.bucket)
      .bind(1, reports::toJsonText(minimized))
      .run();
}

std::optional<uint64_t> seedOf(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder / kLedgerName, error)) return std::nullopt;
  Database database(folder / kLedgerName, Database::Mode::Read);
  if (!hasTables(database)) return std::nullopt;
  Database::Statement row(database, "SELECT value FROM stamp WHERE key = 'seed'");
  if (!row.step()) return std::nullopt;
  return static_cast<uint64_t>(row.integer(0));
}

reports::CampaignSummary summaryOf(const std::filesystem::path& folder, const std::string& program) {
  const std::filesystem::path path = folder / kLedgerName;
  std::error_code error;
  FUSER_USER_CHECK(std::filesystem::exists(path, error), folder.string(), " holds no campaign: there is no ",
                   kLedgerName);
  Database database(path, Database::Mode::Read);
  FUSER_USER_CHECK(hasTables(database), folder.string(), " holds a campaign that has not begun");
  checkVersion(database, path);
  return summaryOf(read(database, path), folder, program);
}

}  // namespace fuser::fuzz
