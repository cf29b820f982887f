#pragma once
// Ledger: ledger.sqlite in a campaign's folder: everything worth keeping, as it happens. kill -9 at any moment loses no
// finished task, and none is counted twice.
//
// A finished task is a row of `journal`, with its result as it came through the pipe. Every kFoldEvery rows the sums so
// far (accounting.h) replace the rows in one transaction, so that the file stays small. Findings, progress points and
// minimised cases are rows of their own tables, as JSON by their lists of fields. Rows are committed together, at most
// kCommitSeconds after the first of them; a task whose row is lost with the process has not finished and is done again.
//
// Rows carry a digest (ledger_digest.h) that every transaction keeps: what changed on the disk since is damage, and is
// refused in a sentence, by a report and by a campaign that would go on.
//
// A ledger is read by programs of its kLedgerVersion alone: others say so in a sentence. A campaign, besides, goes on
// in the very program that began it (its stamp), while a report can be made by any program that reads the ledger.

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/campaign/accounting.h"
#include "fuzz/campaign/database.h"
#include "fuzz/campaign/folder_lock.h"
#include "fuzz/campaign/task.h"
#include "reports/campaign_summary.h"

namespace fuser::fuzz {

// A finding as its row keeps it.
struct FindingRecord {
  std::string origin;  // for a person
  std::string kind, reason, detail;
  std::string place, pattern;       // of its verdict, for its bucket
  bool onlyProbed = false;          // so is this
  std::vector<SingleTask> history;  // what its process had done before; dropped once it is labelled
  std::string label;                // "fails fresh", …; empty: not run again yet
  std::string bucket;
  std::string title;                // titleOf() its verdict
  std::string guiltyOp, structure;  // CaseVerdict::wrongOp; structureOf() the case
  std::string known;         // the known issue that it matches
  Features features;         // of the case
  bool counted = false;      // they are in the accounting: the case's process lived to tell them
  std::string textSha1;      // of the case's text; empty: no process lived to print it
  std::string file;          // the artifact's name; empty: none was written
  std::string sequenceFile;  // tasks after which alone it fails
  int64_t bytes = 0;         // of both files
  double foundSeconds = 0;   // since the campaign's start
  bool operator==(const FindingRecord&) const = default;
};
REPORTS_FIELDS(FindingRecord, origin, kind, reason, detail, place, pattern, onlyProbed, history, label, bucket, title,
               guiltyOp, structure, known, features, counted, textSha1, file, sequenceFile, bytes, foundSeconds)

struct LedgerFinding : FindingRecord {
  int64_t id = 0;  // its row
  // That shows it again (of a batch: its case, on the cpu engine); none: its text alone does.
  std::optional<SingleTask> task;
  std::string text;  // of the case, on its way to a file; not in the ledger
};
// "case 17"; "text" where there is none. For a column of the ledger, where a path keeps all of its bytes.
std::string taskText(const LedgerFinding& finding);

class Ledger {
 public:
  using Stamp = std::vector<std::pair<std::string, std::string>>;

  // What a ledger holds.
  struct Contents {
    Stamp stamp;            // what results depend on; a campaign goes on under an equal one only
    std::map<std::string, std::string> settings;  // the rest: runs, max-total-time, jobs, timeout, rss-limit-mb, state
    std::vector<std::pair<std::string, std::string>> files;  // of the corpora: path, sha1
    Accounting accounting;
    std::vector<LedgerFinding> findings;
    std::vector<reports::Progress> progress;
    std::vector<reports::MinimizedFinding> minimized;
    double seconds = 0;  // that the campaign has run
  };

  // In memory.
  Ledger();
  // In the folder, which it locks. Begins a ledger where there is none. A UserError where there is one and `resume` is
  // false, another campaign runs there, the file is damaged or cannot be written; or it is missing or empty beside
  // results, or `resume` is true and there has never been one.
  Ledger(const std::filesystem::path& folder, bool resume);

  bool isNew() const { return isNew_; }
  // What it was begun with: of one that is not new, before load().
  Stamp stamp();
  // Of a new one: before anything else.
  void begin(const Stamp& stamp, const std::vector<std::pair<std::string, std::string>>& files);
  Contents load();

  void setSetting(const std::string& key, const std::string& value);
  // result: encode() of a TaskResult.
  void record(const std::string& key, const std::string& result, double seconds, double campaignSeconds);
  bool foldDue() const { return unfolded_ >= kFoldEvery; }
  void fold(const Accounting& accounting, double campaignSeconds);
  int64_t add(const LedgerFinding& finding);  // the id
  void update(const LedgerFinding& finding);
  void setProgress(const std::vector<reports::Progress>& points);
  void add(const reports::MinimizedFinding& minimized);

  void commit();
  void commitIfDue();
  // Nothing is written any more: one file alone is left, which can be read where nothing can be written.
  void close();

  static constexpr int kFoldEvery = 1000;
  static constexpr double kCommitSeconds = 0.05;

 private:
  using Statement = Database::Statement;
  void prepare();
  void open();  // a transaction, where none is
  void createTables();
  // rows: of a table, as digestOf() takes them; those that `write` changes, or more.
  template <class Write>
  void change(const std::string& rows, const Write& write);

  std::optional<FolderLock> lock_;
  std::unique_ptr<Database> database_;
  std::optional<Statement> insertRow_;
  bool isNew_ = false;
  bool inTransaction_ = false;
  std::chrono::steady_clock::time_point opened_;  // the transaction
  int unfolded_ = 0;                              // rows of the journal
  uint64_t digest_ = 0;
};

inline constexpr const char* kLedgerName = "ledger.sqlite";

// Of its tables and of what their rows hold: one more with every change to either, a struct's list of fields included.
inline constexpr int kLedgerVersion = 5;

// The arguments of the campaign that a folder holds, by option, as words for a shell; nothing where it holds no
// campaign, or one that this program does not read. The campaign says why, if it is to go on.
std::optional<std::map<std::string, std::string>> argumentsOf(const std::filesystem::path& folder);
inline constexpr const char* kArgumentPrefix = "argument ";  // of their keys among the settings
inline constexpr const char* kBegunIn = "begun in";  // a setting: the folder that relative paths of corpora begin in

// One sentence that names the first difference; "" where there is none.
std::string differenceOf(const Ledger::Stamp& begun, const Ledger::Stamp& now);

// The report of what a ledger holds. folder: of the campaign; empty where it has none. report: the folder that the
// report goes to; its paths and command lines are relative to that, and take nothing but arguments from the ledger,
// which may come from anybody.
reports::CampaignSummary summaryOf(const Ledger::Contents& contents, const std::filesystem::path& folder,
                                   const std::filesystem::path& report);
// A UserError where there is no ledger in the folder.
void checkHoldsCampaign(const std::filesystem::path& folder);
// Of the campaign in a folder, which may be running: from its ledger alone. A UserError where there is none, or it is
// damaged.
reports::CampaignSummary summaryOf(const std::filesystem::path& folder, const std::filesystem::path& report);
inline reports::CampaignSummary summaryOf(const std::filesystem::path& folder) { return summaryOf(folder, folder); }

}  // namespace fuser::fuzz
