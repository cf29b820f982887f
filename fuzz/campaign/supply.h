#pragma once
// Supply: the tasks of a campaign in their order: the corpora's files, then cases by number; between them the compiler
// batches, each before the first case of its stride, and the first one behind the very first task. Every campaign has
// that, of its own cases alone; of the others those that are whole. What is done already is left out.

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/campaign/accounting.h"
#include "fuzz/campaign/task.h"
#include "fuzz/isolate/worker_pool.h"

namespace fuser::fuzz {

class Supply {
 public:
  // runs: cases; 0: without end.
  Supply(std::vector<std::string> files, uint64_t runs, bool batches, const Accounting& done);

  std::optional<PoolTask> next();
  // Once more, alone: what ended it came from outside. False when that has happened too often.
  bool again(const SingleTask& task);

  // The ledger's name of a task: its text, of files by number.
  std::string keyOf(const SingleTask& task) const;

 private:
  std::optional<SingleTask> nextInOrder();
  SingleTask takeBatch();

  std::vector<std::string> files_;
  std::map<std::string, size_t> numbers_;  // of files
  uint64_t runs_;
  bool batches_;
  bool begun_ = false;                             // a task was given
  NumberSet doneCases_, doneFiles_, doneBatches_;  // when this process began
  uint64_t nextFile_ = 0, nextCase_ = 0, nextBatch_ = 0;
  std::deque<SingleTask> again_;
  std::map<std::string, int> attempts_;  // by the text of the task
};

}  // namespace fuser::fuzz
