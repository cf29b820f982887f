#pragma once
// Feedback: the cases of a campaign that follow from what earlier ones showed: mutants of the working corpus, and cases
// of combinations of op, dtype and rank that no case had. Which they are depends on the order in which results come;
// each is a function of its task, which the ledger has.

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/campaign/task.h"
#include "fuzz/campaign/task_result.h"
#include "fuzz/campaign/working_corpus.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

class Feedback {
 public:
  // mutants: the share of cases that are mutants, once there is something to mutate.
  Feedback(const std::filesystem::path& folder, double mutants, uint64_t seed);

  // What is judged in place of case `number`; nullopt: that case. First what lay in the folder, as it is.
  std::optional<MutantTask> taskFor(uint64_t number);
  // Of each case that ended, generated or mutated, in order of ending.
  void take(const TaskResult& result);

  // "working corpus: 212 cases with 640 decisions and 31022 pairs of them; 12 combinations of op, dtype and rank had no
  // case"
  std::string line() const;
  const std::string& leftOut() const { return corpus_.leftOut(); }

 private:
  std::optional<MutantTask> nextCombination(Choices& choices, uint64_t number);

  WorkingCorpus corpus_;
  double mutants_;
  uint64_t seed_;
  size_t nextFound_ = 0;
  std::vector<Combination> missing_;     // those that no case had yet, in order
  std::map<Combination, int> attempts_;  // at their cases
};

}  // namespace fuser::fuzz
