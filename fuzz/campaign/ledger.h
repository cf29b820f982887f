#pragma once
// Ledger: the state of a campaign, ledger.sqlite in its folder, updated as results arrive. kill -9 at any moment loses
// no finished task, and no task is counted twice.
//
// A finished task is a row of `journal` with its encoded result. Every kFoldEvery rows, one transaction replaces the
// rows by their sums (accounting.h), so that the file stays small. Findings, progress samples and minimized cases are
// rows of their own tables, as JSON by their lists of fields. A transaction is committed at most kCommitSeconds after
// its first row; a task whose row is lost with the process counts as unfinished and runs again.
//
// Every transaction updates a digest of the rows (ledger_digest.h). If the digest does not match, the file is damaged,
// and reports and resumed campaigns refuse it with one sentence.
//
// Only programs with its kLedgerVersion read a ledger; others refuse it with one sentence. A campaign continues only in
// the very program that began it (equal stamps); any program that can read the ledger can make a report.

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fuzz/campaign/accounting.h"
#include "fuzz/campaign/database.h"
#include "fuzz/campaign/folder_lock.h"
#include "fuzz/campaign/task.h"
#include "reports/campaign_summary.h"

namespace fuser::fuzz {

// A finding, as stored in its row.
struct FindingRecord {
  std::string origin;  // for people: "case 17"
  std::string kind, reason, detail;
  std::string place, pattern;       // of the verdict, for the bucket
  SeenIn seenIn = SeenIn::Run;      // also for the bucket
  std::string engine;               // of a batch: the engine on which it was seen
  std::vector<SingleTask> history;  // the earlier tasks of its process; cleared when it is labelled
  std::string label;                // "fails fresh", …; empty until it has run again
  std::string bucket;
  std::string title;                // titleOf() the verdict
  std::string guiltyOp, structure;  // CaseVerdict::wrongOp; structureOf() the case
  std::string known;                // the known issue that it matches
  Features features;                // of the case
  bool counted = false;             // whether the accounting includes the features: the case's process survived
  std::string textSha1;             // of the case's text; empty if no process survived to print it
  std::string file;                 // the artifact's name; empty if there is none
  std::string sequenceFile;         // the tasks without which it does not fail
  std::string programFile;          // the case as a PyTorch script; empty if there is none
  int64_t bytes = 0;                // of all its files
  double foundSeconds = 0;          // since the campaign's start
  bool operator==(const FindingRecord&) const = default;
};
REPORTS_FIELDS(FindingRecord, origin, kind, reason, detail, place, pattern, seenIn, engine, history, label, bucket,
               title, guiltyOp, structure, known, features, counted, textSha1, file, sequenceFile, programFile, bytes,
               foundSeconds)

struct LedgerFinding : FindingRecord {
  int64_t id = 0;  // of its row
  // The task that reproduces it (for a batch: its case, on the engine that shows it); nullopt: only the text does.
  std::optional<SingleTask> task;
  std::string text;  // of the case, until it is in a file; not stored in the ledger
};
// "case 17"; "text" if there is none. Paths are kept byte by byte.
std::string taskText(const LedgerFinding& finding);
// Files in order of name, then cases in order of number, so that no order of completion shows.
std::tuple<int, uint64_t, std::string> orderInReport(const LedgerFinding& finding);

class Ledger {
 public:
  using Stamp = std::vector<std::pair<std::string, std::string>>;

  // The contents of a ledger.
  struct Contents {
    Stamp stamp;  // what results depend on; must be equal for a campaign to continue
    // The other settings: runs, max-total-time, jobs, timeout, rss-limit-mb, state.
    std::map<std::string, std::string> settings;
    std::vector<std::pair<std::string, std::string>> files;  // (path, sha1) of the corpora's files
    Accounting accounting;
    std::vector<LedgerFinding> findings;
    std::vector<reports::Progress> progress;
    std::vector<reports::MinimizedFinding> minimized;
    double seconds = 0;  // the campaign's run time so far
  };

  // Creates a ledger in memory.
  Ledger();
  // Opens or creates the ledger in the folder, and locks the folder. A UserError if a ledger exists and `resume` is
  // false; if another campaign is running there; if the file is damaged or not writable; if it is missing or empty
  // beside results; or if `resume` is true and there is no campaign.
  Ledger(const std::filesystem::path& folder, bool resume);

  bool isNew() const { return isNew_; }
  // For an existing ledger: the stamp and settings with which the campaign began. May be called before load().
  Stamp stamp();
  // For a new ledger: must be called before anything else.
  void begin(const Stamp& stamp, const std::vector<std::pair<std::string, std::string>>& files);
  Contents load();

  void setSetting(const std::string& key, const std::string& value);
  // result: encode() of a TaskResult.
  void record(const std::string& key, const std::string& result, double seconds, double campaignSeconds);
  bool foldDue() const { return unfolded_ >= kFoldEvery; }
  void fold(const Accounting& accounting, double campaignSeconds);
  int64_t add(const LedgerFinding& finding);  // returns its id
  void update(const LedgerFinding& finding);
  void setProgress(const std::vector<reports::Progress>& points);
  void add(const reports::MinimizedFinding& minimized);

  void commit();
  void commitIfDue();
  // Ends writing and leaves a single file, which can be read from a read-only folder.
  void close();

  static constexpr int kFoldEvery = 1000;
  static constexpr double kCommitSeconds = 0.05;

 private:
  using Statement = Database::Statement;
  void prepare();
  void open();  // begins a transaction, unless one is open
  void createTables();
  // Runs `write` and updates the digest. rows: at least the rows of a table that `write` changes, as for digestOf().
  template <class Write>
  void change(const std::string& rows, const Write& write);

  std::optional<FolderLock> lock_;
  std::unique_ptr<Database> database_;
  std::optional<Statement> insertRow_;
  bool isNew_ = false;
  bool inTransaction_ = false;
  std::chrono::steady_clock::time_point opened_;  // when the transaction began
  int unfolded_ = 0;                              // number of rows of the journal
  uint64_t digest_ = 0;
};

inline constexpr const char* kLedgerName = "ledger.sqlite";

// The version of the tables and of the contents of rows. Increase it with every change, including one of a struct's
// list of fields.
inline constexpr int kLedgerVersion = 17;

// The arguments of the campaign in a folder, by option, as words for a shell; empty if there is no campaign, or one
// that this program cannot read. (Opening it reports why.)
std::optional<std::map<std::string, std::string>> argumentsOf(const std::filesystem::path& folder);
// Whether the folder's ledger holds a campaign, of any version. One that was ended before its first task may have none.
bool hasBegun(const std::filesystem::path& folder);
inline constexpr const char* kArgumentPrefix = "argument ";  // the prefix of their keys in the settings
inline constexpr const char* kShardKey = "shard";            // in the stamp: "2/8"; "": the whole campaign
inline constexpr const char* kStarted = "started";           // a setting: when the campaign began (start_time.h)
inline constexpr const char* kBegunIn = "begun in";  // a setting: the folder to which relative paths of corpora refer

// One sentence with the first difference; "" if there is none.
std::string differenceOf(const Ledger::Stamp& begun, const Ledger::Stamp& now);

// The report of a ledger. folder: the campaign's; empty if it has none. report: the folder of the report, to which its
// paths and command lines are relative. Ledgers are untrusted: only quoted arguments of command lines come from them.
reports::CampaignSummary summaryOf(const Ledger::Contents& contents, const std::filesystem::path& folder,
                                   const std::filesystem::path& report);
// A UserError if the folder has no ledger.
void checkHoldsCampaign(const std::filesystem::path& folder);
// The report of the campaign in a folder, which may be running, from its ledger alone. A UserError if there is none or
// it is damaged.
reports::CampaignSummary summaryOf(const std::filesystem::path& folder, const std::filesystem::path& report);
inline reports::CampaignSummary summaryOf(const std::filesystem::path& folder) { return summaryOf(folder, folder); }

}  // namespace fuser::fuzz
