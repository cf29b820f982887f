#pragma once
// BucketMinimizer: minimizes findings of each new symptom at the end of a campaign: those that chooseForMinimizing()
// (split_buckets.h) selects. A result is a file minimized-from-<sha1>.fusion beside the finding, a row in the ledger,
// and, with --grow-corpus, a file in that corpus, named by its content.

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "fuzz/campaign/artifacts.h"
#include "fuzz/campaign/ledger.h"
#include "fuzz/campaign/perform_task.h"

namespace fuser::fuzz {

// A finding in another bucket, met while minimizing.
struct MetFinding {
  std::string bucket, kind, text;
  std::string reason, detail;  // of the verdict
  std::string label;           // LedgerFinding::label
  std::string title, guiltyOp, structure;
  bool operator==(const MetFinding&) const = default;
};
REPORTS_FIELDS(MetFinding, bucket, kind, text, reason, detail, label, title, guiltyOp, structure)

// The result of performMinimize(), as reports::encode() writes it. The supervisor sets its `finding`, `symptom` and
// `file`.
struct MinimizeReply {
  reports::MinimizedFinding minimized;
  std::vector<MetFinding> others;
  bool operator==(const MinimizeReply&) const = default;
};
REPORTS_FIELDS(MinimizeReply, minimized, others)

class BucketMinimizer {
 public:
  struct Settings {
    std::filesystem::path folder;  // of the artifacts
    std::filesystem::path corpus;  // to which results are added; empty: none
    double seconds = 60;           // per finding
  };
  BucketMinimizer(Settings settings, Ledger& ledger, Artifacts& artifacts, std::vector<reports::MinimizedFinding> done,
                  std::function<void(const std::string&)> say);

  // Call it when all findings are labelled: chooses those to minimize.
  void begin(const std::vector<LedgerFinding>& findings);
  // The next MinimizeTask, to run in a new process by performMinimize().
  std::optional<PoolTask> next();
  size_t waiting() const { return queue_.size(); }
  // Adds a finding met while minimizing, if its bucket is new.
  void add(const LedgerFinding& finding);
  // Stores the result. Returns the findings in other buckets, for the ledger and for add(); neither they nor the result
  // are committed yet. A task that was killed from outside runs again.
  std::vector<LedgerFinding> accept(const Outcome& outcome);

 private:
  void addToCorpus(const reports::MinimizedFinding& minimized);

  Settings settings_;
  Ledger& ledger_;
  Artifacts& artifacts_;
  std::function<void(const std::string&)> say_;
  std::vector<reports::MinimizedFinding> done_;  // by earlier processes of the campaign
  struct Job {
    LedgerFinding finding;
    int attempts = 0;
    int64_t reserved = 0;  // bytes for the best case so far
  };
  std::string fileOf(const Job& job) const { return "minimized-from-" + job.finding.textSha1 + ".fusion"; }

  std::deque<Job> queue_;
  std::map<std::string, Job> running_;  // by task text
};

// Performs such a task; the outcome's reply is a MinimizeReply, for accept().
std::string performMinimize(const MinimizeTask& task, const TaskSettings& settings, const Limits& limits);

}  // namespace fuser::fuzz
