#pragma once
// What goes over the pipe: a task as one line, and its result as JSON.

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/generate/generate.h"
#include "fuzz/isolate/worker_pool.h"
#include "fuzz/judge/compiler_batch.h"
#include "fuzz/judge/judge_case.h"
#include "fuzz/minimize/judging.h"

namespace fuser::fuzz {

// A compiler call costs as much as many interpreted cases: of every kBatchStride cases the first kBatch go through the
// compilers, in one call, which takes about 2 s against 40 s for the interpretation of all.
inline constexpr uint64_t kBatch = 16, kBatchStride = 8192;

// Of so many generated cases one runs everything twice, to see the same bits. Files always do.
inline constexpr uint64_t kRepeatOneIn = 4;

// Tasks, a line each but for the last ones:
//   "case N"            generate and judge, in the views that its number draws, too
//   "plain N"           the same without the views
//   "view N NAME"       case N in that view alone
//   "print N"           generate, give its text
//   "print N NAME"      and its text in that view
//   "file PATH"         parse and judge
//   "batch N COUNT"     cases N to N + COUNT - 1 through the compilers (compiler_batch.h)
//   "sequence\nT\nT…"   the tasks T one after the other in one process; the result is the last one's
//   "texts\nTEXTS"      the same for cases as text, each below a line kSequenceMark
//   "bucket\nTEXT"      judges the case TEXT and says which bucket its finding belongs to
inline constexpr std::string_view kSequenceMark = "#### case of a sequence";

struct TaskSettings {
  uint64_t seed = 1;
  GeneratorOptions generator;
  JudgeSettings judge;
  double slowSeconds = 10;  // a case that takes so long and is no finding gives its text; 0: none does
};

// What a batch did.
struct BatchFigures {
  int64_t cases = 0, kernels = 0;
  double clangSeconds = 0, nvrtcSeconds = 0;
  std::string skipped;  // compilers that are not here, and why
};

// One case of a batch that is a finding.
struct BatchFinding {
  uint64_t number = 0;
  CaseVerdict verdict;
  std::string text;  // with the engine set
};

// An op with the dtype of its first operand (of its result where it has none) and the scheduler of its segment.
using OpPlace = std::array<std::string, 3>;

struct TaskResult {
  CaseVerdict verdict;
  std::string text;    // the case; of findings, of slow cases and of "print"
  double slow = 0;     // seconds of a slow case; 0: it is none
  std::string bucket;  // of "bucket"
  std::string view;    // of a finding: the view of the case that it is in; "" where it is in the case itself
  std::string guilty;  // of "bucket": the rewrite of a pass that brings the finding about; "" where none does
  int64_t runs = 0;
  BatchFigures batch;
  std::vector<BatchFinding> findings;        // of a batch
  std::set<std::string> ops, dtypes, ranks, traits;  // that the case has
  std::set<OpPlace> places;                  // of the compiled program: after passes, segmented
  std::set<std::string> fused;               // ops that shared a kernel with another op
  std::map<std::string, std::string> views;  // verdicts of the views that it was judged in, too (views/views.h)
  // Segments over all runs, by view: of the case itself, and in the view.
  std::map<std::string, std::array<int64_t, 2>> viewSegments;
};

// What a case has, by which figures are counted.
struct Features {
  std::set<std::string> ops, dtypes, ranks, schedulers;
  std::set<std::string> traits;  // of allTraits(): what the host program is asked to do
};
// "streams", "devices", "shardings", "aliases", "preallocated outputs".
const std::vector<std::string>& allTraits();
Features featuresOf(const TaskResult& result);
// Without schedulers, which nobody asked.
Features featuresOf(const Case& testCase);

// The task's kind: what stands before its first space or line end.
std::string kindOf(const std::string& task);
inline bool isBatch(const std::string& task) { return task.rfind("batch ", 0) == 0; }

// What a task does, in its order, as tasks of their own: of "case N" the case itself and the views that its number
// draws, of a batch its single cases; of others the task.
std::vector<std::string> partsOf(const std::string& task, uint64_t seed);

// Never throws: what goes wrong is a verdict. A file that does not parse is Rejected, with the place.
TaskResult performTask(const std::string& task, const TaskSettings& settings);

std::string toJson(const TaskResult& result);
TaskResult taskResultFromJson(const std::string& text);
std::string toJson(const CaseVerdict& verdict);
CaseVerdict verdictFromJson(const std::string& text);

// A reason with every number written as #, so that equal reasons count together.
std::string withoutNumbers(const std::string& reason);

// The whole file; a UserError says why it cannot be read.
std::string readTextFile(const std::string& path);

}  // namespace fuser::fuzz
