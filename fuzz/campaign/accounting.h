#pragma once
// Accounting: the figures of a campaign as sums over its finished tasks, each counted once, whatever the order.

#include <set>
#include <string>

#include "fuzz/campaign/number_set.h"
#include "fuzz/campaign/task.h"
#include "reports/campaign_summary.h"

namespace fuser::fuzz {

// How a file of a corpus did.
struct FileVerdict {
  std::string verdict;  // verdictName
  std::string problem;  // "" where it did as it expects
};

class Accounting {
 public:
  Accounting();

  // A finished task by its key: "case N", "file K" (its place in the campaign's list), "batch N COUNT" with N =
  // kBatchStride * B. False, and nothing is counted, where the key is counted already. seconds: of a worker.
  bool add(const std::string& key, const TaskResult& result, double seconds);

  // By number: cases N, files K, batches B.
  const NumberSet& cases() const { return cases_; }
  const NumberSet& files() const { return files_; }
  const NumberSet& batches() const { return batches_; }

  const std::map<uint64_t, FileVerdict>& fileVerdicts() const { return fileVerdicts_; }

  // The sums alone.
  const reports::CampaignSummary& sums() const { return sums_; }
  // The part of a summary that follows from the tasks. What never happened is listed in `neverGenerated` and
  // `neverFused`.
  reports::CampaignSummary summary() const;

  std::string toJson() const;
  // What toJson() gave. Throws (nlohmann::json::exception, UserError) where it is something else.
  static Accounting fromJson(const std::string& text);

 private:
  void addCase(const TaskResult& result);
  bool isHostScalar(const std::string& op) const;  // wherever it was compiled

  reports::CampaignSummary sums_;
  std::set<std::string> fused_;
  NumberSet cases_, files_, batches_;
  std::map<uint64_t, FileVerdict> fileVerdicts_;
};

}  // namespace fuser::fuzz
