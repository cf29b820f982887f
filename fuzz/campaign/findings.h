#pragma once
// Findings: processes a finding from its first appearance through confirmation in new processes to its artifact, label
// and bucket. Each step is in the ledger before the next one starts.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/campaign/artifacts.h"
#include "fuzz/campaign/confirm.h"
#include "fuzz/campaign/known_issues.h"
#include "fuzz/campaign/ledger.h"

namespace fuser::fuzz {

// Whether a finding's file is among those that its bucket keeps beside those of `others`, of which it may be one
// itself.
bool isKept(const LedgerFinding& finding, std::span<const LedgerFinding> others);

class Findings {
 public:
  // Prints a line; campaign.log gets the second text instead.
  using Say = std::function<void(const std::string& line, const std::string& logged)>;

  struct Settings {
    ReplayContext context;  // for printed command lines
    ReplayContext logged;   // for those in campaign.log
    int64_t maxBytes = 0;   // the limit on artifacts
    Ledger::Stamp stamp;    // versions of the engine and the compiler
    std::vector<KnownIssue> known;
    std::function<double()> elapsed;  // seconds since the campaign's start
  };
  // found: the findings of earlier processes of the campaign; their missing steps are done first.
  Findings(Settings settings, Ledger& ledger, std::vector<LedgerFinding> found, Say say);

  // Adds a finding of a task. history: the earlier tasks of its process. text: the case, if known. features: of the
  // case, if its process survived.
  void see(const SingleTask& task, const CaseVerdict& verdict, const std::string& text, const Features& features,
           const std::vector<SingleTask>& history);

  // Counts a slow case, which is no finding. Stores its text as slow-unit-<sha1>.fusion if it took at least a tenth
  // longer than all before in this process, so that a slow machine does not fill the disk.
  void keepSlow(const SingleTask& task, const std::string& text, double seconds);

  // Adds a finding with bucket, label and text, met while minimizing; null if its bucket is not new. Does not commit.
  const LedgerFinding* addLabelled(LedgerFinding finding);

  // The next ConfirmTask, which runs a finding again in a new process.
  std::optional<PoolTask> nextConfirmation();
  size_t unconfirmed() const { return unconfirmed_; }  // waiting or running
  void takeConfirmation(const ConfirmTask& task, const Outcome& outcome);

  const std::vector<LedgerFinding>& all() const { return findings_; }
  int64_t countNew() const;
  int64_t countKnown() const { return static_cast<int64_t>(findings_.size()) - countNew(); }
  std::map<std::string, int64_t> buckets() const;
  int64_t leftOut() const { return artifacts_.leftOut(); }
  Artifacts& artifacts() { return artifacts_; }

  // In addition, one per guilty op that those do not have, because it may be another bug.
  static constexpr int64_t kArtifactsPerBucket = 10;

 private:
  LedgerFinding& byId(int64_t id);
  void label(LedgerFinding& finding, const Confirmed& confirmed);
  bool countIfKnown(LedgerFinding& finding, const CaseVerdict& verdict, const std::string& text);
  void announce(const LedgerFinding& finding);
  void say(const std::string& line) { say_(line, line); }

  Settings settings_;
  Ledger& ledger_;
  std::vector<LedgerFinding> findings_;
  Say say_;
  Artifacts artifacts_;
  std::deque<int64_t> queue_;  // ids
  std::map<int64_t, int> attempts_;
  size_t unconfirmed_ = 0;
  bool saidFull_ = false;
  double slowest_ = 0;  // seconds
};

}  // namespace fuser::fuzz
