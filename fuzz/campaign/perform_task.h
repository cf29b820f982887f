#pragma once
// performTask(): a worker's side of a campaign: task in, result out.

#include "fuzz/campaign/task.h"
#include "fuzz/campaign/task_result.h"
#include "fuzz/generate/generate.h"
#include "fuzz/isolate/worker_pool.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

// A compiler call costs as much as many interpreted cases: of every kBatchStride cases the first kBatch go through the
// compilers, in one call, which takes about 2 s against 40 s for the interpretation of all.
inline constexpr uint64_t kBatch = 16, kBatchStride = 8192;

// Of so many generated cases one runs everything twice, to see the same bits. Files always do.
inline constexpr uint64_t kRepeatOneIn = 4;

struct TaskSettings {
  uint64_t seed = 1;
  GeneratorOptions generator;
  JudgeSettings judge;
  double slowSeconds = 10;  // a case that takes so long and is no finding gives its text; 0: none does
};

// Every error is a verdict, except errors of the environment, which are thrown (SetUpError, std::bad_alloc). A file
// that does not parse is Rejected, with the place.
TaskResult performTask(const JudgingTask& task, const TaskSettings& settings);

// The work of a pool whose tasks are printed JudgingTasks; resultOf() reads its outcomes.
WorkerPool::Work judgingWork(const TaskSettings& settings);
// The same with the worker's log: verdicts (Debug) and what each pass does (Trace).
WorkerPool::LoggingWork loggingWork(const TaskSettings& settings);

}  // namespace fuser::fuzz
