// What happens to a finding.

#include "fuzz/campaign/findings.h"

#include <algorithm>
#include <cstdio>

#include "fuzz/campaign/progress.h"
#include "fuzz/judge/bucket.h"
#include "fuzz/judge/title.h"

namespace fuser::fuzz {
namespace {

std::string originOf(const SingleTask& task, uint64_t seed) {
  const std::string usual = concat("seed ", seed, " ", printTask(task));
  return std::visit(ByKind{[&](const CaseTask&) { return usual; }, [&](const PlainTask&) { return usual; },
                           [&](const ViewTask& one) {
                             return concat("seed ", seed, " case ", one.number, " in the view '", one.view, "'");
                           },
                           [&](const MutantTask&) { return usual; }, [&](const FileTask& one) { return one.path; },
                           [&](const BatchTask& one) {
                             return one.count == 1 ? concat("seed ", seed, " case ", one.first, " on the cpu engine")
                                                   : usual;
                           }},
                    task);
}

}  // namespace

Findings::Findings(Settings settings, Ledger& ledger, std::vector<LedgerFinding> found, Say say)
    : settings_(std::move(settings)),
      ledger_(ledger),
      findings_(std::move(found)),
      say_(std::move(say)),
      artifacts_(settings_.context.folder, settings_.maxBytes, settings_.stamp, findings_) {
  for (const LedgerFinding& finding : findings_) {
    if (finding.label.empty() && finding.task) queue_.push_back(finding.id);
  }
  unconfirmed_ = queue_.size();
}

LedgerFinding& Findings::byId(int64_t id) {
  const auto found =
      std::find_if(findings_.begin(), findings_.end(), [id](const LedgerFinding& one) { return one.id == id; });
  FUSER_CHECK(found != findings_.end(), "no finding has the id ", id);
  return *found;
}

void Findings::see(const SingleTask& task, const CaseVerdict& verdict, const std::string& text,
                   const Features& features, const std::vector<SingleTask>& history) {
  LedgerFinding finding;
  finding.task = task;
  finding.origin = originOf(task, settings_.context.seed);
  finding.kind = verdictName(verdict.kind);
  finding.reason = verdict.reason;
  finding.detail = verdict.detail;
  finding.place = verdict.place;
  finding.pattern = verdict.pattern;
  finding.seenIn = verdict.seenIn;
  finding.engine = verdict.engine;
  finding.title = titleOf(verdict);
  finding.guiltyOp = verdict.wrongOp;
  finding.features = features;
  finding.counted = !features.ops.empty();
  finding.history = history;
  finding.foundSeconds = settings_.elapsed();
  if (countIfKnown(finding, verdict, text)) return;
  artifacts_.write(finding, text);
  finding.id = ledger_.add(finding);
  queue_.push_back(finding.id);
  ++unconfirmed_;
  const auto line = [&](const std::string& reason) {
    return concat("found ", finding.kind, " (", finding.origin, "): ", reason, "; it runs again alone");
  };
  say_(line(firstClause(finding.reason)), line(finding.reason));
  findings_.push_back(std::move(finding));
}

// A target's bucket needs no further judging: what is known of it costs no processes.
bool Findings::countIfKnown(LedgerFinding& finding, const CaseVerdict& verdict, const std::string& text) {
  if (settings_.context.target.empty() || settings_.known.empty()) return false;
  Bucket bucket = bucketWithoutStage(verdict);
  bucket.stage = stageOfTarget(settings_.context.target);
  finding.bucket = toString(bucket);
  finding.known = knownReason(settings_.known, finding.bucket);
  if (finding.known.empty()) return false;
  finding.label = "known: not run again";
  finding.history.clear();
  if (isKept(finding, findings_)) artifacts_.write(finding, text);
  finding.id = ledger_.add(finding);
  findings_.push_back(std::move(finding));
  return true;
}

void Findings::keepSlow(const SingleTask& task, const std::string& text, double seconds) {
  if (seconds < 1.1 * slowest_) return;
  slowest_ = seconds;
  char took[32];
  std::snprintf(took, sizeof took, "%.1f s", seconds);
  const std::string file = artifacts_.writeSlow(text, took);
  say(concat("slow (", originOf(task, settings_.context.seed), "): ", took, file.empty() ? "" : ", kept as ", file));
}

const LedgerFinding* Findings::addLabelled(LedgerFinding finding) {
  // The bucket may have been found before, in a case of its own.
  const bool seen = std::any_of(findings_.begin(), findings_.end(),
                                [&](const LedgerFinding& other) { return other.bucket == finding.bucket; });
  if (seen) return nullptr;
  finding.known = knownReason(settings_.known, finding.bucket);
  artifacts_.write(finding, finding.text);
  finding.text = "";
  finding.foundSeconds = settings_.elapsed();
  finding.id = ledger_.add(finding);
  announce(finding);
  findings_.push_back(std::move(finding));
  return &findings_.back();
}

std::optional<PoolTask> Findings::nextConfirmation() {
  if (queue_.empty()) return std::nullopt;
  const LedgerFinding& finding = byId(queue_.front());
  queue_.pop_front();
  Suspect suspect{finding.task.value(), {}, finding.history};
  suspect.verdict.kind = verdictFromName(finding.kind).value();
  suspect.verdict.reason = finding.reason;
  suspect.verdict.detail = finding.detail;
  suspect.verdict.place = finding.place;
  suspect.verdict.pattern = finding.pattern;
  suspect.verdict.seenIn = finding.seenIn;
  suspect.verdict.engine = finding.engine;
  return PoolTask(printTask(Task(ConfirmTask{finding.id, std::move(suspect)})), true);
}

void Findings::takeConfirmation(const ConfirmTask& task, const Outcome& outcome) {
  constexpr int kAttempts = 5;
  const int64_t id = task.finding;
  LedgerFinding& finding = byId(id);
  if (outcome.fromOutside && ++attempts_[id] < kAttempts) {
    queue_.push_back(id);
    return;
  }
  checkNotFromOutside(outcome);
  Confirmed confirmed;
  if (outcome.ending == Ending::Finished) {
    confirmed = decodeConfirmed(outcome.reply);
  } else {
    confirmed.task = finding.task.value();
    confirmed.label = concat("could not be run again: ", outcome.detail.substr(0, outcome.detail.find('\n')));
    confirmed.detail = finding.detail;
    confirmed.bucket = finding.kind;
  }
  --unconfirmed_;
  label(finding, confirmed);
  announce(finding);
}

void Findings::label(LedgerFinding& finding, const Confirmed& confirmed) {
  finding.task = confirmed.task;
  finding.origin = originOf(confirmed.task, settings_.context.seed);
  finding.label = confirmed.label;
  finding.detail = confirmed.detail;
  if (!confirmed.problem.empty()) finding.detail += "\nwhile it ran again: " + confirmed.problem;
  finding.bucket = confirmed.bucket;
  finding.structure = confirmed.structure;
  finding.known = knownReason(settings_.known, finding.bucket);
  finding.history.clear();
  if (finding.features.ops.empty()) finding.features = confirmed.features;
  if (!isKept(finding, findings_)) {
    artifacts_.drop(finding);
  } else if (!confirmed.text.empty()) {
    artifacts_.write(finding, confirmed.text, confirmed.sequence);
  }
  ledger_.update(finding);
  ledger_.commit();
  if (artifacts_.leftOut() > 0 && !saidFull_) {
    say(concat("artifacts fill the ", settings_.maxBytes >> 20,
               " MB that --max-artifact-mb allows: further findings are in the ledger alone"));
    saidFull_ = true;
  }
}

bool isKept(const LedgerFinding& finding, std::span<const LedgerFinding> others) {
  int64_t inBucket = 0;
  bool opIsNew = true;
  for (const LedgerFinding& other : others) {
    if (&other == &finding || other.bucket != finding.bucket || other.file.empty()) continue;
    ++inBucket;
    opIsNew = opIsNew && other.guiltyOp != finding.guiltyOp;
  }
  return opIsNew || inBucket < Findings::kArtifactsPerBucket;
}

void Findings::announce(const LedgerFinding& finding) {
  const auto textOf = [&](const std::string& reason, const std::string& bucket, const ReplayContext& context) {
    const CommandLines lines = commandLines(finding, context);
    std::string text = concat(finding.known.empty() ? "FINDING " : "known: ", finding.kind, " (", finding.origin, ", ",
                              finding.label, "): ", reason, "\n  bucket: ", bucket, "\n  replay: ", lines.replay);
    if (!lines.minimize.empty()) text += "\n  minimize: " + lines.minimize;
    if (!finding.known.empty()) text += "\n  known issue: " + finding.known;
    return text;
  };
  say_(textOf(firstClause(finding.reason), firstClause(finding.bucket), settings_.context),
       textOf(finding.reason, finding.bucket, settings_.logged));
}

int64_t Findings::countNew() const {
  return std::count_if(findings_.begin(), findings_.end(), [](const LedgerFinding& one) { return one.known.empty(); });
}

std::map<std::string, int64_t> Findings::buckets() const {
  std::map<std::string, int64_t> counts;
  for (const LedgerFinding& finding : findings_) ++counts[finding.label.empty() ? "not run again yet" : finding.bucket];
  return counts;
}

}  // namespace fuser::fuzz
