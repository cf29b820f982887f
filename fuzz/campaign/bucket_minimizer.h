#pragma once
// BucketMinimizer: at the end of a campaign, findings of each new symptom become small: those that
// chooseForMinimizing() (split_buckets.h) names. What it gives is minimized-from-<sha1>.fusion beside the finding, a
// row in the ledger, and, where a corpus is to grow, a file named by its content there.

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

// A finding that was met on the way, in another bucket.
struct MetFinding {
  std::string bucket, kind, text;
  std::string reason, detail;  // of its verdict
  std::string label;           // as a finding's
  std::string title, guiltyOp, structure;
  bool operator==(const MetFinding&) const = default;
};
REPORTS_FIELDS(MetFinding, bucket, kind, text, reason, detail, label, title, guiltyOp, structure)

// What performMinimize() says, by reports::encode(). Its `finding`, `symptom` and `file` the supervisor knows.
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
    std::filesystem::path corpus;  // to add to; empty: none
    double seconds = 60;           // a finding
  };
  BucketMinimizer(Settings settings, Ledger& ledger, Artifacts& artifacts, std::vector<reports::MinimizedFinding> done,
                  std::function<void(const std::string&)> say);

  // Once all findings are labelled: what is to be done.
  void begin(const std::vector<LedgerFinding>& findings);
  // A MinimizeTask, for a fresh process: performMinimize().
  std::optional<PoolTask> next();
  size_t waiting() const { return queue_.size(); }
  // One that was met on the way, where its bucket is new.
  void add(const LedgerFinding& finding);
  // Findings in other buckets that it met on the way, for the ledger and for add(). Neither they nor the result are
  // committed yet. What was ended from outside comes again.
  std::vector<LedgerFinding> accept(const Outcome& outcome);

 private:
  void addToCorpus(const reports::MinimizedFinding& minimized);

  Settings settings_;
  Ledger& ledger_;
  Artifacts& artifacts_;
  std::function<void(const std::string&)> say_;
  std::vector<reports::MinimizedFinding> done_;  // by earlier starts
  struct Job {
    LedgerFinding finding;
    int attempts = 0;
    int64_t reserved = 0;  // bytes for the best so far
  };
  std::string fileOf(const Job& job) const { return "minimized-from-" + job.finding.textSha1 + ".fusion"; }

  std::deque<Job> queue_;
  std::map<std::string, Job> running_;  // by task
};

// The work of such a task: a MinimizeReply, for take().
std::string performMinimize(const MinimizeTask& task, const TaskSettings& settings, const Limits& limits);

}  // namespace fuser::fuzz
