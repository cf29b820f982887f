#pragma once
// Findings: from the moment a task shows one, through its runs in fresh processes, to its artifact, bucket and label.
// Each step is in the ledger before the next begins.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/campaign/artifacts.h"
#include "fuzz/campaign/confirm.h"
#include "fuzz/campaign/known_issues.h"
#include "fuzz/campaign/ledger.h"

namespace fuser::fuzz {

class Findings {
 public:
  // A line, and what campaign.log gets in its stead.
  using Say = std::function<void(const std::string& line, const std::string& logged)>;

  struct Settings {
    ReplayContext context;  // of the command lines that are printed
    ReplayContext logged;   // of those in campaign.log
    int64_t maxBytes = 0;  // of artifacts
    Ledger::Stamp stamp;   // of the engine and of what made it
    std::vector<KnownIssue> known;
    std::function<double()> elapsed;  // seconds since the campaign's start
  };
  // found: those of earlier starts; what they lack is done first.
  Findings(Settings settings, Ledger& ledger, std::vector<LedgerFinding> found, Say say);

  // A task showed it. history: what its process had done before. text: the case, where it is known.
  // features: of the case, where its process lived to tell them.
  void see(const SingleTask& task, const CaseVerdict& verdict, const std::string& text, const Features& features,
           const std::vector<SingleTask>& history);

  // A case that is no finding but took long. Its text is kept as slow-unit-<sha1>.fusion where it took a tenth longer
  // than all before in this process's life, so that a slow machine does not fill a disk.
  void keepSlow(const SingleTask& task, const std::string& text, double seconds);

  // One that came with its bucket, its label and its text; null where its bucket is not new. It is not committed yet.
  const LedgerFinding* addLabelled(LedgerFinding finding);

  // The next finding to be run again: a ConfirmTask, for a fresh process.
  std::optional<PoolTask> nextConfirmation();
  size_t unconfirmed() const { return unconfirmed_; }  // waiting, or under way
  void takeConfirmation(const ConfirmTask& task, const Outcome& outcome);

  const std::vector<LedgerFinding>& all() const { return findings_; }
  int64_t countNew() const;
  int64_t countKnown() const { return static_cast<int64_t>(findings_.size()) - countNew(); }
  std::map<std::string, int64_t> buckets() const;
  int64_t leftOut() const { return artifacts_.leftOut(); }
  Artifacts& artifacts() { return artifacts_; }

  // And one of each guilty op that those do not have: it may be another bug.
  static constexpr int64_t kArtifactsPerBucket = 10;

 private:
  LedgerFinding& byId(int64_t id);
  void label(LedgerFinding& finding, const Confirmed& confirmed);
  bool isKept(const LedgerFinding& finding) const;  // its file, in its bucket
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
