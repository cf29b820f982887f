// Minimisation as tasks of the campaign's workers.

#include "fuzz/campaign/bucket_minimizer.h"

#include <algorithm>

#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/finding_evidence.h"
#include "fuzz/campaign/sha1.h"
#include "fuzz/campaign/split_buckets.h"
#include "fuzz/judge/segment_graph.h"
#include "fuzz/judge/structure.h"
#include "fuzz/judge/title.h"
#include "fuzz/minimize/minimize.h"
#include "reports/fields_bytes.h"

namespace fuser::fuzz {
namespace {

// Compiling what crashes a compiler crashes: in a process of its own.
reports::SegmentGraph pictureOf(const Minimized& minimized, const TaskSettings& settings, const Limits& limits) {
  const WorkerPool::Work draw = [&](const std::string& task) {
    const Case testCase = parseCase(minimized.text, "minimized");
    const std::string wrong = task == "judged" ? judgeCase(testCase, settings.judge).wrongValue : "";
    return reports::toJson(segmentGraphOf(testCase, wrong));
  };
  Outcome outcome = runAlone("judged", limits, draw);
  if (outcome.ending != Ending::Finished) outcome = runAlone("not judged", limits, draw);
  if (outcome.ending == Ending::Finished) return reports::segmentGraphFromJson(outcome.reply);
  reports::SegmentGraph none;
  none.problem = "its compilation ends with: " + outcome.detail.substr(0, outcome.detail.find('\n'));
  return none;
}

CaseVerdict verdictAlone(const std::string& text, const TaskSettings& settings, const Limits& limits) {
  return resultOf(runAlone(printTask(JudgingTask(TextsTask{{text}})), limits, judgingWork(settings))).verdict;
}

// With its own verdict, from a process of its own.
MetFinding metFinding(const OtherFinding& other, const TaskSettings& settings, const Limits& limits) {
  MetFinding met{toString(other.bucket), other.bucket.kind, other.text, "", "", "fails fresh", "", "", ""};
  if (!other.failedCheck.empty()) {
    met.label = "a change of this case cannot be built; minimize it to see the check fail";
    met.title = met.reason = met.detail = other.failedCheck;
    return met;
  }
  const CaseVerdict verdict = verdictAlone(other.text, settings, limits);
  met.title = titleOf(verdict);
  met.guiltyOp = verdict.wrongOp;
  met.structure = structureOf(parseCase(other.text, "met"));
  if (isFinding(verdict.kind)) {
    met.kind = verdictName(verdict.kind);
    met.reason = verdict.reason;
    met.detail = verdict.detail;
  } else {
    met.label = "flaky: shown once, and not again";
    met.title = met.reason = met.detail =
        concat("it was ", met.kind, " once, and is ", verdictName(verdict.kind), " now");
  }
  return met;
}

LedgerFinding metWhileMinimising(const MetFinding& other, const LedgerFinding& finding) {
  LedgerFinding met;
  met.bucket = other.bucket;
  met.kind = other.kind;
  met.reason = other.reason;
  met.detail = other.detail;
  met.origin = "a step of minimising " + finding.file;
  met.label = other.label;
  met.title = other.title;
  met.guiltyOp = other.guiltyOp;
  met.structure = other.structure;
  met.text = other.text;
  return met;
}

// What its card says: all of the smallest case.
void describe(const Minimized& minimized, CaseVerdict verdict, reports::MinimizedFinding& told) {
  verdict.kind = verdictFromName(minimized.bucket.kind).value();
  verdict.reason = minimized.reason;
  told.text = minimized.text;
  told.title = titleOf(verdict);
  told.reason = minimized.reason;
  told.detail = minimized.detail;
  told.guiltyOp = verdict.wrongOp;
  told.structure = structureOf(parseCase(minimized.text, "minimized"));
  told.bucket = nameOfMinimized(minimized.bucket, told.guiltyOp, told.structure);
}

}  // namespace

std::string performMinimize(const MinimizeTask& task, const TaskSettings& campaign, const Limits& limits) {
  TaskSettings settings = campaign;
  settings.judge.secondLooks = HowOften::Always;  // as the minimiser looks; what was drawn is for another text
  settings.judge.allInvariants = true;
  MinimizeReply reply;
  reports::MinimizedFinding& told = reply.minimized;
  try {
    MinimizeSettings minimizer;
    minimizer.seconds = task.seconds;
    minimizer.limits = limits;
    minimizer.judge = settings.judge;
    // Of a generated case; a rejected file is a finding of the kind "rejected".
    minimizer.judge.rejectionsAreFindings = task.bucket.starts_with(verdictName(VerdictKind::Invariant));
    minimizer.bucket = task.bucket;
    minimizer.bestSoFar = task.best;
    minimizer.maxBytes = task.bytes;
    const Minimized minimized = minimize(readTextFile(task.path), minimizer);
    for (const OtherFinding& other : minimized.others) reply.others.push_back(metFinding(other, settings, limits));
    told.problem = minimized.problem;
    if (!minimized.problem.empty()) return reports::encode(reply);
    const CaseVerdict verdict = verdictAlone(minimized.text, settings, limits);
    describe(minimized, verdict, told);
    told.exprsBefore = static_cast<int64_t>(minimized.before.expressions);
    told.exprsAfter = static_cast<int64_t>(minimized.after.expressions);
    told.seconds = minimized.seconds;
    told.picture = pictureOf(minimized, settings, limits);
    try {
      told.evidence = evidenceOf(minimized.text, verdict, minimized.bucket, settings.judge, limits);
    } catch (const SetUpError&) {
      // Its process was ended from outside. What is minimised stays.
    }
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    told = {};
    told.problem = error.what();
  }
  return reports::encode(reply);
}

BucketMinimizer::BucketMinimizer(Settings settings, Ledger& ledger, Artifacts& artifacts,
                                 std::vector<reports::MinimizedFinding> done,
                                 std::function<void(const std::string&)> say)
    : settings_(std::move(settings)),
      ledger_(ledger),
      artifacts_(artifacts),
      say_(std::move(say)),
      done_(std::move(done)) {}

void BucketMinimizer::begin(const std::vector<LedgerFinding>& findings) {
  if (settings_.folder.empty()) return;
  for (const LedgerFinding* finding : chooseForMinimizing(findings, done_)) queue_.push_back({*finding});
  if (!queue_.empty()) {
    say_(concat("minimising ", queue_.size(), queue_.size() == 1 ? " finding, " : " findings, ", settings_.seconds,
                " s each at most (--no-minimize leaves it out)"));
  }
}

void BucketMinimizer::add(const LedgerFinding& finding) {
  if (settings_.folder.empty()) return;
  const std::vector<LedgerFinding> alone = {finding};
  for (const LedgerFinding* chosen : chooseForMinimizing(alone, done_)) queue_.push_back({*chosen});
}

std::optional<PoolTask> BucketMinimizer::next() {
  // A smaller case may take more text: tensors that were computed become lists of numbers.
  constexpr int64_t kMoreText = 64 << 10;
  if (queue_.empty()) return std::nullopt;
  Job job = std::move(queue_.front());
  queue_.pop_front();
  job.reserved = artifacts_.reserve(job.finding.bytes + kMoreText);
  const MinimizeTask minimize{(settings_.folder / job.finding.file).string(), job.finding.bucket,
                              (settings_.folder / fileOf(job)).string(), job.reserved, settings_.seconds};
  PoolTask task(printTask(Task(minimize)), true);
  running_.emplace(task.text, std::move(job));
  return task;
}

std::vector<LedgerFinding> BucketMinimizer::accept(const Outcome& outcome) {
  constexpr int kAttempts = 5;
  Job job = std::move(running_.extract(outcome.task).mapped());
  const std::string file = fileOf(job);
  artifacts_.release(job.reserved, file);
  if (outcome.fromOutside && ++job.attempts < kAttempts) {
    queue_.push_back(std::move(job));
    return {};
  }
  checkNotFromOutside(outcome);
  const LedgerFinding& finding = job.finding;
  MinimizeReply reply;
  if (outcome.ending == Ending::Finished) {
    reply = reports::decode<MinimizeReply>(outcome.reply);
  } else {
    reply.minimized.problem = "the minimiser ended with: " + outcome.detail.substr(0, outcome.detail.find('\n'));
  }
  reports::MinimizedFinding& minimized = reply.minimized;
  minimized.finding = finding.file;
  minimized.symptom = finding.bucket;
  if (!minimized.problem.empty()) minimized.bucket = minimized.symptom;
  if (minimized.problem.empty() && artifacts_.writeMinimized(file, minimized.text)) {
    minimized.file = file;
    minimized.programFile = artifacts_.writeProgram(file, minimized.text);
  }
  std::vector<LedgerFinding> others;
  for (const MetFinding& other : reply.others) others.push_back(metWhileMinimising(other, finding));
  ledger_.add(minimized);
  if (minimized.problem.empty()) {
    say_(concat("minimised ", finding.file, " from ", minimized.exprsBefore, " to ", minimized.exprsAfter,
                " expressions: ",
                minimized.file.empty() ? "its text is in the report, there was no room for the file"
                                       : (settings_.folder / minimized.file).string(),
                "\n  bucket: ", minimized.bucket));
    addToCorpus(minimized);
  } else {
    say_(concat("not minimised: ", finding.file, ": ", minimized.problem));
  }
  return others;
}

void BucketMinimizer::addToCorpus(const reports::MinimizedFinding& minimized) {
  if (settings_.corpus.empty()) return;
  try {
    reports::writeFile(settings_.corpus / (sha1(minimized.text) + ".fusion"), minimized.text);
  } catch (const UserError& error) {
    say_(concat("not added to the corpus: ", error.what()));
  }
}

}  // namespace fuser::fuzz
