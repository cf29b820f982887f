#pragma once
// Accounting: sums a campaign's figures over its finished tasks. Each task counts once; the order does not matter.

#include <map>
#include <set>
#include <string>

#include "fuzz/campaign/number_set.h"
#include "fuzz/campaign/task_result.h"
#include "reports/campaign_summary.h"

namespace fuser::fuzz {

// The verdict of a corpus file.
struct FileVerdict {
  std::string verdict;  // verdictName
  std::string problem;  // "" if the file's expectations hold
  bool operator==(const FileVerdict&) const = default;
};
REPORTS_FIELDS(FileVerdict, verdict, problem)

// The state of an Accounting.
struct AccountingFigures {
  NumberSet cases, files, batches;  // the numbers of the tasks that are counted
  std::map<uint64_t, FileVerdict> fileVerdicts;
  std::set<std::string> fused;  // ops that shared a kernel with another op
  reports::Sums sums;
  bool operator==(const AccountingFigures&) const = default;
};
REPORTS_FIELDS(AccountingFigures, cases, files, batches, fileVerdicts, fused, sums)

class Accounting {
 public:
  Accounting();

  // Counts a finished task by its key: "case N", "file K" (the index in the campaign's list), "batch N COUNT" with N =
  // kBatchStride * B. Returns false, without counting, if the key was counted before. `seconds` is worker time.
  bool add(const std::string& key, const TaskResult& result, double seconds);
  // Adds the counts of another Accounting, whose tasks must be different ones.
  void add(const Accounting& more);

  const NumberSet& cases() const { return figures_.cases; }
  const NumberSet& files() const { return figures_.files; }
  const NumberSet& batches() const { return figures_.batches; }

  const std::map<uint64_t, FileVerdict>& fileVerdicts() const { return figures_.fileVerdicts; }

  // Only the sums.
  const reports::Sums& sums() const { return figures_.sums; }
  // The part of the summary that follows from tasks, including the lists of ops that never occurred (`neverGenerated`,
  // `neverFused`).
  reports::CampaignSummary summary() const;

  std::string toJson() const;
  // Parses the output of toJson(). Throws std::invalid_argument or UserError for invalid input.
  static Accounting fromJson(const std::string& text);

 private:
  bool wasDrawn(const Combination& combination) const;
  void listCells(reports::CampaignSummary& summary) const;
  bool wasExact(const std::string& op) const;      // on another compiler
  bool isHostScalar(const std::string& op) const;  // wherever it was compiled

  AccountingFigures figures_;
};

// Replaces every number in a reason by #, so that reasons that differ only in numbers are counted together.
std::string withoutNumbers(const std::string& reason);
// Replaces names of values by % and numbers by #; the digits in words stay: "no kernel: Where of bool, i8".
std::string withoutValues(std::string_view reason);

}  // namespace fuser::fuzz
