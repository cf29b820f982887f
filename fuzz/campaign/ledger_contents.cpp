// All of a ledger's tables out again.

#include "fuzz/campaign/ledger_contents.h"

#include <algorithm>
#include <string_view>

#include "fuzz/campaign/campaign_folder.h"
#include "fuzz/campaign/ledger_digest.h"
#include "fuzz/campaign/task_in_fields.h"

namespace fuser::fuzz {
namespace {

// An artifact lies in the folder itself, whatever a ledger says.
std::string plainName(const std::string& file) { return std::filesystem::path(file).filename().string(); }

LedgerFinding findingFrom(const Database::Statement& row) {
  LedgerFinding finding;
  static_cast<FindingRecord&>(finding) = reports::fromJsonText<FindingRecord>(row.text(2));
  finding.id = row.integer(0);
  const std::string task = row.text(1);
  if (task != kNoTaskText) finding.task = parseTask<SingleTask>(task);
  finding.file = plainName(finding.file);
  finding.sequenceFile = plainName(finding.sequenceFile);
  finding.programFile = plainName(finding.programFile);
  FUSER_USER_CHECK(verdictFromName(finding.kind).has_value(), "no verdict is called '", finding.kind, "'");
  return finding;
}

reports::MinimizedFinding minimizedFrom(const std::string& text) {
  reports::MinimizedFinding minimized = reports::fromJsonText<reports::MinimizedFinding>(text);
  reports::checkEdges(minimized.picture);
  reports::checkEdges(minimized.evidence.explained.segments);
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
  constexpr const char* kProgress =
      "SELECT seconds, cases, findings, compiler_seconds, minimizer_seconds FROM progress ORDER BY seconds";
  for (Statement row(database, kProgress); row.step();)
    contents.progress.push_back({row.real(0), row.integer(1), row.integer(2), row.real(3), row.real(4)});
  for (Statement row(database, "SELECT minimized FROM minimized ORDER BY finding"); row.step();)
    contents.minimized.push_back(minimizedFrom(row.text(0)));
  if (!contents.progress.empty()) contents.seconds = std::max(contents.seconds, contents.progress.back().seconds);
  return contents;
}

[[noreturn]] void throwDamaged(const std::filesystem::path& path, const std::string& what) {
  throwUserError(concat("the ledger ", path.string(), " is damaged (", what,
                        "): what was found stays in the files beside it; begin a new campaign in another folder"));
}

// What `reading` gives; what goes wrong in it is said of the ledger.
template <class Reading>
auto readFrom(const std::filesystem::path& path, const Reading& reading) {
  try {
    return reading();
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {
    throwDamaged(path, error.what());
  }
}

int64_t versionOf(Database& database) {
  Database::Statement row(database, "PRAGMA user_version");
  return row.step() ? row.integer(0) : 0;
}

void checkVersion(Database& database, const std::filesystem::path& path) {
  const int64_t version = versionOf(database);
  FUSER_USER_CHECK(version == kLedgerVersion, "the ledger ", path.string(),
                   " was written by another version of this program (ledger version ", version, ", and this reads ",
                   kLedgerVersion, "): what was found stays in the files beside it; ",
                   "begin a new campaign in another folder");
}

}  // namespace

bool hasTables(Database& database) {
  Database::Statement count(database, "SELECT count(*) FROM sqlite_master");
  count.step();
  return count.integer(0) > 0;
}

void checkSound(Database& database, const std::filesystem::path& path) {
  Database::Statement check(database, "PRAGMA integrity_check(1)");
  std::string state = check.step() ? check.text(0) : "";
  std::replace(state.begin(), state.end(), '\n', ' ');
  if (state != "ok") throwDamaged(path, state);
  checkVersion(database, path);
  readFrom(path, [&] {
    if (readDigest(database) != digestOfAll(database)) throwDamaged(path, "its rows are not those that were written");
  });
}

Ledger::Stamp readStamp(Database& database, const std::filesystem::path& path) {
  return readFrom(path, [&] { return stampIn(database); });
}

Ledger::Contents readContents(Database& database, const std::filesystem::path& path) {
  return readFrom(path, [&] {
    database.execute("SAVEPOINT reading");
    checkSound(database, path);
    Ledger::Contents contents = contentsOf(database);
    database.execute("RELEASE reading");
    return contents;
  });
}

bool hasBegun(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kLedgerName;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  Database database(path, Database::Mode::Read);
  return hasTables(database);
}

std::optional<std::map<std::string, std::string>> argumentsOf(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kLedgerName;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  Database database(path, Database::Mode::Read);
  if (!hasTables(database) || versionOf(database) != kLedgerVersion) return std::nullopt;
  std::map<std::string, std::string> arguments;
  for (const auto& [key, value] : readContents(database, path).settings) {
    if (key.starts_with(kArgumentPrefix)) arguments[key.substr(std::string_view(kArgumentPrefix).size())] = value;
  }
  return arguments;
}

void checkHoldsCampaign(const std::filesystem::path& folder) {
  std::error_code error;
  FUSER_USER_CHECK(std::filesystem::exists(folder / kLedgerName, error), folder.string(),
                   " holds no campaign: there is no ", kLedgerName);
}

reports::CampaignSummary summaryOf(const std::filesystem::path& folder, const std::filesystem::path& report) {
  const std::filesystem::path path = folder / kLedgerName;
  checkHoldsCampaign(folder);
  Database database(path, Database::Mode::Read);
  FUSER_USER_CHECK(hasTables(database), folder.string(),
                   holdsResults(folder) ? " holds results of a campaign, but its ledger is empty"
                                        : " holds a campaign that has not begun");
  return summaryOf(readContents(database, path), folder, report);
}

}  // namespace fuser::fuzz
