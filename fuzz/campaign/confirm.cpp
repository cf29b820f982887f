// Re-runs of a finding, in order of price.

#include "fuzz/campaign/confirm.h"

#include <algorithm>

#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/perform_task.h"
#include "fuzz/campaign/task_in_fields.h"
#include "fuzz/judge/bucket.h"
#include "fuzz/judge/compiler_batch.h"
#include "fuzz/judge/structure.h"
#include "fuzz/minimize/judging.h"

namespace fuser::fuzz {
namespace {

constexpr int kSequenceRuns = 40;  // tries to shorten a sequence

bool isBatch(const SingleTask& task) { return std::holds_alternative<BatchTask>(task); }

class Confirmation {
 public:
  Confirmation(const Suspect& suspect, const TaskSettings& settings, const Limits& limits)
      : suspect_(suspect),
        seed_(settings.seed),
        limits_(limits),
        hasTarget_(settings.judge.target != nullptr),
        work_(judgingWork(settings)) {}

  Confirmed run() {
    result_.task = suspect_.task;
    result_.detail = withSymbols(suspect_.verdict.detail);
    narrow();
    result_.text = textOf(result_.task);
    label();
    result_.bucket = bucket();
    describe();
    return std::move(result_);
  }

 private:
  bool fails(const SingleTask& task, size_t cases, bool sameKind = true) {
    return fails(widened<JudgingTask>(task), cases, sameKind);
  }

  // A finding again, of the same kind where `sameKind` is set.
  bool fails(const JudgingTask& task, size_t cases, bool sameKind = true) {
    Limits limits = limits_;
    limits.seconds *= static_cast<double>(std::max<size_t>(cases, 1));
    const Outcome outcome = alone(task, limits);
    if (outcome.ending != Ending::Finished) return !sameKind || kindOf(outcome.ending) == suspect_.verdict.kind;
    const TaskResult result = decodeResult(outcome.reply);
    const auto matches = [&](const CaseVerdict& verdict) {
      const bool bad = isFinding(verdict.kind) || !verdict.expected;
      return bad && (!sameKind || verdict.kind == suspect_.verdict.kind);
    };
    return matches(result.verdict) || std::any_of(result.findings.begin(), result.findings.end(),
                                                  [&](const BatchFinding& one) { return matches(one.verdict); });
  }

  // What ends it from outside says nothing about the task.
  Outcome alone(const JudgingTask& task, const Limits& limits) {
    constexpr int kAttempts = 5;
    Outcome outcome;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      outcome = runAlone(printTask(task), limits, work_);
      if (!outcome.fromOutside) break;
    }
    checkNotFromOutside(outcome);
    return outcome;
  }

  // Of a batch that died, or whose compiler refused it: the case that does so alone. Of a case whose process died: the
  // view that does so alone, where it is not the case itself.
  void narrow() {
    const bool batch = isBatch(suspect_.task);
    if (!batch && suspect_.verdict.kind < VerdictKind::OutOfMemory) return;
    const std::vector<SingleTask> parts = partsOf(suspect_.task, seed_);
    for (const SingleTask& part : parts) {
      if (parts.size() == 1 || !fails(part, batch ? kBatch : 1, !batch)) continue;
      if (!std::holds_alternative<PlainTask>(part)) result_.task = part;
      return;
    }
  }

  std::string textOf(const SingleTask& task) {
    try {
      return std::visit(ByKind{[&](const CaseTask& one) {
                                 return printed({one.number, "", ""});
                               },
                               [&](const PlainTask& one) {
                                 return printed({one.number, "", ""});
                               },
                               [&](const ViewTask& one) {
                                 return printed({one.number, one.view, ""});
                               },
                               [&](const MutantTask& one) {
                                 return printed({one.number, "", printTask(SingleTask(one))});
                               },
                               [&](const FileTask& one) { return readTextFile(one.path); },
                               // Batches of several cases have no text.
                               [&](const BatchTask& one) {
                                 return one.count == 1 ? onItsEngine(printedOfBatch(one.first), one) : "";
                               }},
                        task);
    } catch (const std::exception& error) {
      rethrowIfSetUpError(error);
      result_.problem = error.what();
      return "";
    }
  }

  std::string printed(const PrintTask& task) {
    const Outcome outcome = alone(task, limits_);
    return outcome.ending == Ending::Finished ? decodeResult(outcome.reply).text : "";
  }

  std::string printedOfBatch(uint64_t number) {
    const std::string view(viewOfBatch(number));
    const std::string seen = view.empty() ? "" : printed({number, view, ""});
    return seen.empty() ? printed({number, "", ""}) : seen;  // the view does not apply
  }

  std::string onItsEngine(const std::string& text, const BatchTask& batch) const {
    if (text.empty()) return "";
    Case testCase = parseCase(text, "batch");
    setEngineOfFinding(testCase.options, suspect_.verdict, ptxArchitectureOf(batch));
    return printCase(testCase);
  }

  void describe() {
    try {
      if (result_.text.empty()) return;
      const Case testCase = parseCase(result_.text, "finding");
      result_.features = featuresOf(testCase);
      result_.structure = structureOf(*testCase.fusion);
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      // A file that does not parse has none.
    }
  }

  void label() {
    const size_t cases = isBatch(result_.task) ? kBatch : 1;
    if (fails(result_.task, cases)) {
      result_.label = "fails fresh";
      return;
    }
    std::vector<SingleTask> history = suspect_.history;
    if (!history.empty() && failsAfter(history)) {
      shorten(history);
      writeSequence(history);
      return;
    }
    int failures = 0;
    for (int i = 0; i < kFlakyRuns; ++i) failures += fails(result_.task, cases);
    result_.label = concat("flaky: ", failures, " of ", kFlakyRuns);
  }

  bool failsAfter(std::vector<SingleTask> history) {
    history.push_back(result_.task);
    const size_t cases = history.size();
    return fails(SequenceTask{std::move(history)}, cases);
  }

  // The shortest end of the history that still makes it fail, by bisection; then without whatever else it can do
  // without, in halves, quarters, … as long as tries are left.
  void shorten(std::vector<SingleTask>& history) {
    int tries = kSequenceRuns;
    size_t good = 0, bad = history.size();  // lengths: without failure, with
    while (bad - good > 1 && tries-- > 0) {
      const size_t middle = good + (bad - good) / 2;
      if (failsAfter({history.end() - static_cast<std::ptrdiff_t>(middle), history.end()})) {
        bad = middle;
      } else {
        good = middle;
      }
    }
    history.erase(history.begin(), history.end() - static_cast<std::ptrdiff_t>(bad));
    for (size_t chunk = history.size() / 2; chunk > 0; chunk /= 2) {
      for (size_t start = 0; start + chunk <= history.size() && tries > 0;) {
        std::vector<SingleTask> fewer = history;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(start),
                    fewer.begin() + static_cast<std::ptrdiff_t>(start + chunk));
        --tries;
        if (!fewer.empty() && failsAfter(fewer)) {
          history = std::move(fewer);
        } else {
          start += chunk;
        }
      }
    }
  }

  void writeSequence(const std::vector<SingleTask>& history) {
    result_.label = "fails only after its history";
    for (const SingleTask& task : history) {
      for (const SingleTask& one : partsOf(task, seed_)) {
        const std::string text = textOf(one);
        if (!text.empty()) result_.sequence.push_back(text);  // a view that has no place in the case was not judged
      }
    }
    result_.sequence.push_back(result_.text);
    if (!fails(TextsTask{result_.sequence}, result_.sequence.size())) result_.label += ", and not as text";
  }

  std::string bucket() {
    const CaseVerdict& verdict = suspect_.verdict;
    const bool died = verdict.kind >= VerdictKind::OutOfMemory;
    const std::string usual =
        toString(died ? bucketOfEnding(verdict.kind, result_.detail) : bucketWithoutStage(verdict));
    // A target's process may have died in place of ours: then the case is judged here, too.
    if ((died && !hasTarget_) || result_.label != "fails fresh" || result_.text.empty()) return usual;
    const Outcome outcome = alone(BucketTask{result_.text, verdict.kind == VerdictKind::Invariant}, limits_);
    if (outcome.ending != Ending::Finished) return usual;
    const TaskResult answer = decodeResult(outcome.reply);
    if (!answer.guilty.empty()) result_.detail += "\nguilty: " + answer.guilty;
    const std::string found = answer.bucket;
    return found.empty() ? usual : found;
  }

  const Suspect& suspect_;
  uint64_t seed_;
  Limits limits_;
  bool hasTarget_;
  WorkerPool::Work work_;
  Confirmed result_;
};

}  // namespace

Confirmed confirm(const Suspect& suspect, const TaskSettings& settings, const Limits& limits) {
  return Confirmation(suspect, settings, limits).run();
}

std::string encode(const Confirmed& confirmed) { return reports::encode(confirmed); }

Confirmed decodeConfirmed(const std::string& bytes) { return reports::decode<Confirmed>(bytes); }

}  // namespace fuser::fuzz
