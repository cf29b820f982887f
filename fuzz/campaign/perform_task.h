#pragma once
// performTask(): the worker's side of a campaign: task in, result out.

#include <filesystem>

#include "fuzz/campaign/task.h"
#include "fuzz/campaign/task_result.h"
#include "fuzz/generate/generate.h"
#include "fuzz/isolate/worker_pool.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

// A compiler call costs as much as many interpreted cases. The compilers get the first kBatch of every kBatchStride
// cases, in one call, which takes about 2 s; interpreting kBatchStride cases takes 40 s.
inline constexpr uint64_t kBatch = 16, kBatchStride = 8192;

// The place in kPtxArchitectures of that for which a batch, or one case of it, is compiled to PTX: NVRTC is the dearest
// compiler, so that each batch has one, in turn.
inline size_t ptxArchitectureOf(const BatchTask& task) {
  return task.first / kBatchStride % std::size(kPtxArchitectures);
}

// One in this many generated cases runs everything twice, to compare the bits. Files always do.
inline constexpr uint64_t kRepeatOneIn = 4;

// One in this many generated cases is run once more, in the run with most elements, to count what its kernels cost.
inline constexpr uint64_t kCostOneIn = 50;

struct TaskSettings {
  uint64_t seed = 1;
  GeneratorOptions generator;
  JudgeSettings judge;
  // With feedback: the folder of the working corpus (working_corpus.h). Results then tell decisions.
  std::filesystem::path workingCorpus;
  bool allInvariantsOfFiles = true;  // else those with a period on a sample, as of generated cases
  bool views = true;                 // whether cases are judged in the views that their numbers draw, too
  double slowSeconds = 10;           // a slower case that is no finding returns its text; 0: none does
};

// The view in which a batch has the case of that number, where it applies; "": none. One in four is seen with
// contraction, and one on a random schedule: other engines than interp meet these nowhere else.
std::string_view viewOfBatch(uint64_t number);
Case caseOfBatch(uint64_t number, const TaskSettings& settings);

// Every error is a verdict, except errors of the environment, which are thrown (SetUpError, std::bad_alloc). A file
// that does not parse is Rejected, with the position of the error.
TaskResult performTask(const JudgingTask& task, const TaskSettings& settings);
// Of each case its result, as performTask() gives it. The settings have a target.
std::vector<TaskResult> performCases(const CasesTask& task, const TaskSettings& settings);

// The case of the task, from the working corpus. A UserError if a file is not there.
Case mutantOfWorking(const MutantTask& task, const TaskSettings& settings);

// The work of a pool whose tasks are printed JudgingTasks; resultOf() reads its outcomes.
WorkerPool::Work judgingWork(const TaskSettings& settings);
// The same with the worker's log: verdicts (Debug) and what each pass does (Trace).
WorkerPool::LoggingWork loggingWork(const TaskSettings& settings);

}  // namespace fuser::fuzz
