// What comes next.

#include "fuzz/campaign/supply.h"

#include <algorithm>
#include <utility>

#include "fuzz/campaign/perform_task.h"

namespace fuser::fuzz {

Supply::Supply(std::vector<std::string> files, uint64_t runs, bool batches, const Accounting& done, uint64_t atOnce,
               Shard shard)
    : files_(std::move(files)),
      runs_(runs),
      batches_(batches),
      atOnce_(atOnce),
      shard_(shard),
      doneCases_(done.cases()),
      doneFiles_(done.files()),
      doneBatches_(done.batches()) {
  for (size_t i = 0; i < files_.size(); ++i) numbers_[files_[i]] = i;
  nextFile_ = indexFrom(0, doneFiles_);
  nextCase_ = caseFrom(0);
  nextBatch_ = indexFrom(0, doneBatches_);
}

uint64_t Supply::caseFrom(uint64_t number) const {
  for (;;) {
    const uint64_t missing = doneCases_.firstMissing(number);
    number = shard_.caseFrom(missing);
    if (number == missing) return number;
  }
}

uint64_t Supply::indexFrom(uint64_t index, const NumberSet& done) const {
  for (;;) {
    const uint64_t missing = done.firstMissing(index);
    index = shard_.from(missing);
    if (index == missing) return index;
  }
}

std::optional<PoolTask> Supply::next() {
  if (!again_.empty()) {
    PoolTask task(printTask(again_.front()), true);
    again_.pop_front();
    return task;
  }
  if (behindBlock_) return PoolTask(printTask(widened<Task>(SingleTask(*std::exchange(behindBlock_, std::nullopt)))));
  const std::optional<SingleTask> task = nextInOrder();
  return task ? std::optional<PoolTask>(printTask(withItsBlock(*task))) : std::nullopt;
}

std::optional<SingleTask> Supply::nextInOrder() {
  // The first behind one other task, so that a compiler that is missing or broken shows in the first seconds, and that
  // something is judged however short the time is.
  const uint64_t due = kBatchStride * nextBatch_;
  const bool isFirst = shard_.from(0) == nextBatch_, isWhole = runs_ == 0 || due + kBatch <= runs_;
  if (batches_ && begun_ && isFirst && (nextBatch_ == 0 || isWhole)) return takeBatch();
  begun_ = true;
  if (nextFile_ < files_.size()) {
    FileTask task{files_[nextFile_]};
    nextFile_ = indexFrom(nextFile_ + 1, doneFiles_);
    return task;
  }
  // By number, so that the sample does not depend on anybody's speed.
  if (batches_ && nextBatch_ > 0 && due <= nextCase_ && isWhole) return takeBatch();
  if (runs_ > 0 && nextCase_ >= runs_) return std::nullopt;
  const CaseTask task{nextCase_};
  nextCase_ = caseFrom(nextCase_ + 1);
  if (instead_) {
    if (const std::optional<MutantTask> mutant = instead_(task.number)) return *mutant;
  }
  return task;
}

// Blocks are by number, so that which cases are judged at once does not depend on anybody's speed.
Task Supply::withItsBlock(const SingleTask& task) {
  const CaseTask* first = std::get_if<CaseTask>(&task);
  if (!first) return widened<Task>(task);
  CasesTask block{first->number, 1};
  while (nextCase_ == block.first + block.count && nextCase_ % atOnce_ != 0 && (runs_ == 0 || nextCase_ < runs_)) {
    const uint64_t number = nextCase_;
    nextCase_ = caseFrom(number + 1);
    if (instead_) behindBlock_ = instead_(number);
    if (behindBlock_) break;  // it comes next, alone
    ++block.count;
  }
  return block.count == 1 ? Task(*first) : Task(block);
}

SingleTask Supply::takeBatch() {
  const uint64_t first = kBatchStride * nextBatch_;
  const BatchTask task{first, runs_ == 0 ? kBatch : std::min(kBatch, runs_ - first)};
  nextBatch_ = indexFrom(nextBatch_ + 1, doneBatches_);
  return task;
}

bool Supply::again(const SingleTask& task) {
  constexpr int kAttempts = 5;
  if (++attempts_[printTask(task)] >= kAttempts) return false;
  again_.push_back(task);
  return true;
}

void Supply::againOneByOne(const CasesTask& block) {
  for (const SingleTask& task : casesOf(block)) again_.push_back(task);
}

std::string Supply::keyOf(const SingleTask& task) const {
  const FileTask* file = std::get_if<FileTask>(&task);
  return file ? concat("file ", numbers_.at(file->path)) : printTask(task);
}

}  // namespace fuser::fuzz
