#pragma once
// Feedback: the cases of a campaign that follow from what earlier ones showed: mutants of the working corpus, and cases
// of combinations of op, dtype and rank that no case had. Which they are depends on the order in which results come;
// each is a function of its task, which the ledger has.

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/campaign/shard.h"
#include "fuzz/campaign/task.h"
#include "fuzz/campaign/task_result.h"
#include "fuzz/campaign/working_corpus.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

class Feedback {
 public:
  struct Settings {
    std::filesystem::path folder{}, notes{};  // working_corpus.h
    // The share of mutants among what is no combination's case, once there is something to mutate.
    double mutants = 0.5;
    uint64_t seed = 1;
    Shard shard{};
    bool goesOn = false;  // the campaign was begun before
  };
  using Drawn = std::map<std::string, std::map<std::string, std::map<std::string, int64_t>>>;  // op, dtype, rank
  // drawn: the combinations that had cases before this start.
  explicit Feedback(Settings settings, const Drawn& drawn = {});

  // What is judged in place of case `number`; nullopt: that case. First what lay in the folder, as it is.
  std::optional<MutantTask> taskFor(uint64_t number);
  // Of each case that ended, generated or mutated, in order of ending.
  void take(const TaskResult& result);

  // "working corpus: 212 cases with 640 decisions and 31022 pairs of them; 12 combinations of op, dtype and rank had no
  // case, 3 of them since it was rejected or failed"
  std::string line() const;
  const std::string& leftOut() const { return corpus_.leftOut(); }

 private:
  std::optional<MutantTask> nextCombination(Choices& choices, uint64_t number);

  Settings settings_;
  WorkingCorpus corpus_;
  size_t nextFound_ = 0;
  std::vector<Combination> missing_;     // those that no case had yet, in order
  std::map<Combination, int> attempts_;  // at their cases
  std::set<Combination> givenUp_;        // after so many
};

}  // namespace fuser::fuzz
