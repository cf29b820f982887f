#pragma once
// Accounting: the figures of a campaign as sums over its finished tasks, each counted once, whatever the order.

#include <map>
#include <set>
#include <string>

#include "fuzz/campaign/number_set.h"
#include "fuzz/campaign/task_result.h"
#include "reports/campaign_summary.h"

namespace fuser::fuzz {

// How a file of a corpus did.
struct FileVerdict {
  std::string verdict;  // verdictName
  std::string problem;  // "" where it did as it expects
  bool operator==(const FileVerdict&) const = default;
};
REPORTS_FIELDS(FileVerdict, verdict, problem)

// All that an accounting knows.
struct AccountingFigures {
  NumberSet cases, files, batches;  // that are counted, by number: cases N, files K, batches B
  std::map<uint64_t, FileVerdict> fileVerdicts;
  std::set<std::string> fused;  // ops that shared a kernel with another op
  reports::Sums sums;
  bool operator==(const AccountingFigures&) const = default;
};
REPORTS_FIELDS(AccountingFigures, cases, files, batches, fileVerdicts, fused, sums)

class Accounting {
 public:
  Accounting();

  // A finished task by its key: "case N", "file K" (its place in the campaign's list), "batch N COUNT" with N =
  // kBatchStride * B. False, and nothing is counted, where the key is counted already. seconds: of a worker.
  bool add(const std::string& key, const TaskResult& result, double seconds);
  // What another one counted, of other tasks.
  void add(const Accounting& more);

  const NumberSet& cases() const { return figures_.cases; }
  const NumberSet& files() const { return figures_.files; }
  const NumberSet& batches() const { return figures_.batches; }

  const std::map<uint64_t, FileVerdict>& fileVerdicts() const { return figures_.fileVerdicts; }

  // The sums alone.
  const reports::Sums& sums() const { return figures_.sums; }
  // The part of a summary that follows from the tasks. What never happened is listed in `neverGenerated` and
  // `neverFused`.
  reports::CampaignSummary summary() const;

  std::string toJson() const;
  // What toJson() gave. Throws (nlohmann::json::exception, std::invalid_argument, UserError) where it is something
  // else.
  static Accounting fromJson(const std::string& text);

 private:
  bool isHostScalar(const std::string& op) const;  // wherever it was compiled

  AccountingFigures figures_;
};

// A reason with every number written as #, so that equal reasons count together.
std::string withoutNumbers(const std::string& reason);

}  // namespace fuser::fuzz
