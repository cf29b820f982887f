#pragma once
// TaskResult: the result of a task, which a worker sends to the supervisor.

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "fuzz/campaign/combinations.h"
#include "fuzz/campaign/coverage_cells.h"
#include "fuzz/isolate/worker_pool.h"
#include "fuzz/judge/judge_case.h"
#include "reports/costs.h"
#include "reports/edge_count.h"
#include "reports/fields.h"

namespace fuser::fuzz {

// The figures of a batch.
struct BatchFigures {
  int64_t cases = 0, kernels = 0;
  double clangSeconds = 0, nvrtcSeconds = 0, ptxSeconds = 0;
  std::string skipped;      // compilers that are not available, and why
  int64_t withoutRoom = 0;  // cases that the cpu engine has no room for
  bool operator==(const BatchFigures&) const = default;
};
REPORTS_FIELDS(BatchFigures, cases, kernels, clangSeconds, nvrtcSeconds, ptxSeconds, skipped, withoutRoom)

// A finding of one case in a batch.
struct BatchFinding {
  uint64_t number = 0;
  CaseVerdict verdict;
  std::string text;  // the case, with its engine option set
  bool operator==(const BatchFinding&) const = default;
};
REPORTS_FIELDS(BatchFinding, number, verdict, text)

// (op, dtype of its first operand or else of its result, scheduler of its segment).
using OpPlace = std::array<std::string, 3>;

struct TaskResult {
  CaseVerdict verdict;
  std::string text;    // the case; for findings, slow cases and PrintTask
  double slow = 0;     // seconds of a slow case; 0 for any other
  std::string bucket;  // for BucketTask
  std::string view;    // for a finding: the view with the finding; "" for the case itself
  std::string guilty;  // for BucketTask: the rewrite that causes the finding; "" if none does
  int64_t runs = 0;
  BatchFigures batch;
  std::vector<BatchFinding> findings;                // for a batch
  std::set<std::string> ops, dtypes, ranks, traits;  // of the case
  std::set<Combination> combinations;                // of the case
  std::set<Cell> cells;                              // of the case
  std::set<OpPlace> places;                          // of the program after passes and segmentation
  std::set<std::string> fused;                       // ops that shared a kernel with another op
  std::map<std::string, std::string> views;          // verdicts by view in which it was judged (views/views.h)
  // The numbers of segments over all runs, by view: of the case itself, and in the view.
  std::map<std::string, std::array<int64_t, 2>> viewSegments;
  reports::Costs costs;                             // of a case that is counted; no cases for any other
  std::map<std::string, reports::EdgeCount> edges;  // by kind: those that the runs meet, or that are out of reach
  std::set<std::string> decisions;                  // with feedback: what the compiler decided (fuzz/judge/decisions.h)
  std::string caseText;                             // with feedback: the case, unless it is a finding
  std::string noEdge;  // why a case that was to meet one meets none; "": it does, or was not
  bool operator==(const TaskResult&) const = default;
};
REPORTS_FIELDS(TaskResult, verdict, text, slow, bucket, view, guilty, runs, batch, findings, ops, dtypes, ranks, traits,
               combinations, cells, places, fused, views, viewSegments, costs, edges, decisions, caseText, noEdge)

// The encoding for the pipe and the ledger's journal.
std::string encode(const TaskResult& result);
// Throws std::invalid_argument for invalid bytes.
TaskResult decodeResult(const std::string& bytes);

// The result of a JudgingTask from its outcome; a dead worker becomes the verdict.
TaskResult resultOf(const Outcome& outcome);

// The features of a case by which coverage is counted.
struct Features {
  std::set<std::string> ops, dtypes, ranks, schedulers;
  std::set<std::string> traits;  // of allTraits(): features that the host program needs
  bool operator==(const Features&) const = default;
};
REPORTS_FIELDS(Features, ops, dtypes, ranks, schedulers, traits)
// "streams", "devices", "shardings", "aliases", "preallocated outputs".
const std::vector<std::string>& allTraits();
Features featuresOf(const TaskResult& result);
// Without schedulers, because the case is not compiled.
Features featuresOf(const Case& testCase);

}  // namespace fuser::fuzz
