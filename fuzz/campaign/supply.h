#pragma once
// Supply: the tasks of a campaign in order: the corpora's files, then the cases by number, with a compiler batch before
// the first case of each stride; the first batch is the second task. Every campaign runs the first batch, truncated to
// the cases of the campaign; later batches run only if complete. Finished tasks are skipped, and so are those of other
// parts (shard.h). On another compiler, cases come in blocks that are judged at once.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/campaign/accounting.h"
#include "fuzz/campaign/shard.h"
#include "fuzz/campaign/task.h"
#include "fuzz/isolate/worker_pool.h"

namespace fuser::fuzz {

class Supply {
 public:
  // runs: the number of cases of all parts; 0: no limit. atOnce: cases of a block.
  Supply(std::vector<std::string> files, uint64_t runs, bool batches, const Accounting& done, uint64_t atOnce = 1,
         Shard shard = {});

  // What is judged in place of a case, if `instead` returns something.
  void replaceCases(std::function<std::optional<MutantTask>(uint64_t number)> instead) {
    instead_ = std::move(instead);
  }

  std::optional<PoolTask> next();
  // Schedules a task again, alone, after a kill from outside; false if that has happened too often.
  bool again(const SingleTask& task);
  // Schedules the cases of a block again, each alone, to see which one it is that ended the process.
  void againOneByOne(const CasesTask& block);

  // The key of a task in the ledger: its text, with files by number.
  std::string keyOf(const SingleTask& task) const;

 private:
  std::optional<SingleTask> nextInOrder();
  SingleTask takeBatch();
  // The next task from that number on which is not done, and is this part's.
  uint64_t caseFrom(uint64_t number) const;
  uint64_t indexFrom(uint64_t index, const NumberSet& done) const;
  Task withItsBlock(const SingleTask& task);

  std::vector<std::string> files_;
  std::map<std::string, size_t> numbers_;  // index of each file
  uint64_t runs_;
  bool batches_;
  uint64_t atOnce_;
  Shard shard_;
  std::function<std::optional<MutantTask>(uint64_t number)> instead_;
  std::optional<MutantTask> behindBlock_;          // in place of the case at which a block ended
  bool begun_ = false;                             // whether a task was handed out
  NumberSet doneCases_, doneFiles_, doneBatches_;  // finished when this process began
  uint64_t nextFile_ = 0, nextCase_ = 0, nextBatch_ = 0;
  std::deque<SingleTask> again_;
  std::map<std::string, int> attempts_;  // by the task's text
};

}  // namespace fuser::fuzz
