#pragma once
// What goes over the pipe: a task as one line, and its result as JSON.

#include <optional>
#include <string>

#include "fuzz/generate/generate.h"
#include "fuzz/judge/compiler_batch.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

// "case N": generate and judge; "print N": generate, give its text; "file PATH": parse and judge; "batch N COUNT":
// cases N to N + COUNT - 1 through the compilers (compiler_batch.h).
struct TaskSettings {
  uint64_t seed = 1;
  GeneratorOptions generator;
  JudgeSettings judge;
};

// What a batch did; its verdict is the first finding's, and `text` that case's, with the engine set.
struct BatchFigures {
  int64_t cases = 0, kernels = 0, findings = 0;
  double clangSeconds = 0, nvrtcSeconds = 0;
  std::string skipped;
};

struct TaskResult {
  CaseVerdict verdict;
  std::string text;  // the case; of findings and of "print"
  int64_t runs = 0;
  BatchFigures batch;
  std::set<std::string> ops, dtypes, ranks;  // that the case has
};

// Never throws: what goes wrong is a verdict. A file that does not parse is Rejected, with the place.
TaskResult performTask(const std::string& task, const TaskSettings& settings);

std::string toJson(const TaskResult& result);
TaskResult taskResultFromJson(const std::string& text);

// The whole file; a UserError says why it cannot be read.
std::string readTextFile(const std::string& path);

}  // namespace fuser::fuzz
