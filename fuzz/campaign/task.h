#pragma once
// Tasks: the work items that a campaign's supervisor sends to its workers. Each kind is a struct with its parameters;
// one function prints and one parses all of them, from their lists of fields.

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "fuzz/judge/judge_case.h"
#include "reports/fields.h"

namespace fuser::fuzz {

// Generates and judges a case, also in the views that its number selects.
struct CaseTask {
  static constexpr std::string_view kWord = "case";
  uint64_t number = 0;
  bool operator==(const CaseTask&) const = default;
};
REPORTS_FIELDS(CaseTask, number)

// The same without the views.
struct PlainTask {
  static constexpr std::string_view kWord = "plain";
  uint64_t number = 0;
  bool operator==(const PlainTask&) const = default;
};
REPORTS_FIELDS(PlainTask, number)

// Judges a generated case in a single view.
struct ViewTask {
  static constexpr std::string_view kWord = "view";
  uint64_t number = 0;
  std::string view;  // its name
  bool operator==(const ViewTask&) const = default;
};
REPORTS_FIELDS(ViewTask, number, view)

// Judges, without views, in place of case `number`, a case of the working corpus as it is, or after so many mutations
// (feedback.h).
struct MutantTask {
  static constexpr std::string_view kWord = "mutant";
  uint64_t number = 0, mutations = 0;
  std::string parents;  // "PARENT DONOR": files of the working corpus
  bool operator==(const MutantTask&) const = default;
};
REPORTS_FIELDS(MutantTask, number, mutations, parents)

// Parses and judges a file.
struct FileTask {
  static constexpr std::string_view kWord = "file";
  std::string path;
  bool operator==(const FileTask&) const = default;
};
REPORTS_FIELDS(FileTask, path)

// Runs cases [first, first + count) through the compilers (compiler_batch.h).
struct BatchTask {
  static constexpr std::string_view kWord = "batch";
  uint64_t first = 0, count = 0;
  bool operator==(const BatchTask&) const = default;
};
REPORTS_FIELDS(BatchTask, first, count)

// The tasks of which a campaign consists; a finding has one, and the history of a process is a list of them. Each one
// is a line of words, for people and the ledger: "case 17", "view 17 one cut", "mutant 17 2 a.fusion b.fusion", "file a
// b.fusion", "batch 0 16".
using SingleTask = std::variant<CaseTask, PlainTask, ViewTask, MutantTask, FileTask, BatchTask>;

// Generates and judges cases [first, first + count) at once, where the judge is another compiler's.
struct CasesTask {
  static constexpr std::string_view kWord = "cases";
  uint64_t first = 0, count = 0;
  bool operator==(const CasesTask&) const = default;
};
REPORTS_FIELDS(CasesTask, first, count)
// A task each.
std::vector<SingleTask> casesOf(const CasesTask& task);

// Generates a case and returns its text.
struct PrintTask {
  static constexpr std::string_view kWord = "print";
  uint64_t number = 0;
  std::string view;  // the view; "": the case itself
  std::string mutant;  // the text of a MutantTask, whose case it is instead; "": none
  bool operator==(const PrintTask&) const = default;
};
REPORTS_FIELDS(PrintTask, number, view, mutant)

// Runs tasks one after the other in one process; the result is that of the last one.
struct SequenceTask {
  static constexpr std::string_view kWord = "sequence";
  std::vector<SingleTask> tasks;
  bool operator==(const SequenceTask&) const = default;
};
REPORTS_FIELDS(SequenceTask, tasks)

// The same for cases as text.
struct TextsTask {
  static constexpr std::string_view kWord = "texts";
  std::vector<std::string> texts;
  bool operator==(const TextsTask&) const = default;
};
REPORTS_FIELDS(TextsTask, texts)

// Judges a case and determines the bucket of its finding.
struct BucketTask {
  static constexpr std::string_view kWord = "bucket";
  std::string text;
  bool rejectionsAreFindings = false;  // as of generated cases (JudgeSettings)
  bool operator==(const BucketTask&) const = default;
};
REPORTS_FIELDS(BucketTask, text, rejectionsAreFindings)

// The tasks that performTask() executes, with a TaskResult.
using JudgingTask = std::variant<CaseTask, PlainTask, ViewTask, MutantTask, FileTask, BatchTask, PrintTask,
                                 SequenceTask, TextsTask, BucketTask>;

// A finding to confirm (confirm.h).
struct Suspect {
  SingleTask task;
  CaseVerdict verdict;
  std::vector<SingleTask> history;  // the earlier tasks of its process
  bool operator==(const Suspect&) const = default;
};
REPORTS_FIELDS(Suspect, task, verdict, history)

struct ConfirmTask {
  static constexpr std::string_view kWord = "confirm";
  int64_t finding = 0;  // its id
  Suspect suspect;
  bool operator==(const ConfirmTask&) const = default;
};
REPORTS_FIELDS(ConfirmTask, finding, suspect)

// Minimizes a finding (bucket_minimizer.h).
struct MinimizeTask {
  static constexpr std::string_view kWord = "minimize";
  std::string path;    // the path of its case
  std::string bucket;  // the bucket that it must stay in
  std::string best;    // the path of the smallest case so far
  int64_t bytes = 0;   // the size limit of that file
  double seconds = 0;  // the time budget
  bool operator==(const MinimizeTask&) const = default;
};
REPORTS_FIELDS(MinimizeTask, path, bucket, best, bytes, seconds)

// The tasks that the supervisor sends. Confirmations send JudgingTasks to their own processes.
using Task =
    std::variant<CaseTask, PlainTask, ViewTask, MutantTask, FileTask, BatchTask, CasesTask, ConfirmTask, MinimizeTask>;

// Converts a task to a variant with more alternatives.
template <class Wide, class... Kinds>
Wide widened(const std::variant<Kinds...>& task) {
  return std::visit([](const auto& one) { return Wide(one); }, task);
}

// Prints a Task, JudgingTask or SingleTask: a SingleTask as its word and its fields as words; any other one as its
// word, a line break, and its fields as reports::encode() writes them.
template <class... Kinds>
std::string printTask(const std::variant<Kinds...>& task);
// Parses the output of printTask() for one of these kinds; a UserError for any other text.
template <class Tasks>
Tasks parseTask(std::string_view text);

// Splits a task into its parts, in order: a case into the case itself and the views that its number selects, a batch
// into its cases; any other task has one part.
std::vector<SingleTask> partsOf(const SingleTask& task, uint64_t seed);

// A visitor for std::visit with one lambda per kind, so that a new kind does not compile until every place handles it.
template <class... Visitors>
struct ByKind : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
ByKind(Visitors...) -> ByKind<Visitors...>;  // clang 14 does not deduce it

}  // namespace fuser::fuzz
