// The supervisor of a campaign.

#include "fuzz/campaign/campaign.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/campaign/sha1.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {
namespace {

#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;  // "Clang 14.0.6"
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif
constexpr int kMaxArtifacts = 1000;
constexpr double kProgressSeconds = 5;
constexpr double kCompilerShare = 0.2;  // of the workers' time
constexpr uint64_t kBatch = 32;         // cases in one compiler call

VerdictKind kindOf(Ending ending) {
  switch (ending) {
    case Ending::Finished: return VerdictKind::Agrees;
    case Ending::Crashed: return VerdictKind::Crash;
    case Ending::TimedOut: return VerdictKind::Hang;
    case Ending::OutOfMemory: return VerdictKind::OutOfMemory;
  }
  FUSER_CHECK(false, "bad Ending");
}

class Campaign {
 public:
  Campaign(const CampaignOptions& options, const Interrupt& interrupted, const Log& log)
      : options_(options), interrupted_(interrupted), log_(log), start_(Clock::now()) {
    settings_ = options.task;
    settings_.seed = options.seed;
    work_ = [settings = settings_](const std::string& task) { return toJson(performTask(task, settings)); };
  }

  reports::CampaignSummary run() {
    FUSER_USER_CHECK(options_.runs > 0 || options_.maxTotalTime > 0, "say how long: --runs or --max-total-time");
    prepareFolder();
    for (const std::filesystem::path& file : fusionFiles(options_.corpora)) corpus_.push_back(file.string());
    stamp();
    WorkerPool(options_.jobs, [this](const std::string& task) { return limitsOf(task); }, work_)
        .run([this] { return nextTask(); }, [this](const Outcome& outcome) { take(outcome); });
    finish();
    return std::move(summary_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void prepareFolder() {
    if (options_.out.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(options_.out, error);
    FUSER_USER_CHECK(!error, "cannot make the folder ", options_.out.string(), ": ", error.message());
    logFile_.open(options_.out / "campaign.log", std::ios::app);
    FUSER_USER_CHECK(logFile_.good(), "cannot write to ", options_.out.string());
  }

  void stamp() {
    summary_.seed = options_.seed;
    summary_.jobs = options_.jobs;
    summary_.stamp = {{"format", "1"},
                      {"stream", std::to_string(kStreamVersion)},
                      {"libtorch", reference::libtorchVersion()},
                      {"engine", "interp"},
                      {"compiler", kCompiler}};
    for (int kind = 0; kind <= static_cast<int>(VerdictKind::Crash); ++kind) {
      summary_.verdicts[std::string(verdictName(static_cast<VerdictKind>(kind)))] = 0;
    }
    say(concat("seed ", options_.seed, ", ", options_.jobs, " workers"));
  }

  void say(const std::string& line) {
    log_(line);
    if (logFile_.is_open()) logFile_ << line << std::endl;
  }

  bool stopped() const {
    if (interrupted_()) return true;
    if (options_.maxTotalTime > 0 && elapsed() >= options_.maxTotalTime) return true;
    return options_.maxFindings > 0 && summary_.findings.size() >= options_.maxFindings;
  }

  std::optional<std::string> nextTask() {
    if (stopped()) return std::nullopt;
    if (nextFile_ < corpus_.size()) return "file " + corpus_[nextFile_++];
    if (options_.runs > 0 && nextCase_ >= options_.runs) return std::nullopt;
    if (batchDue()) {
      batchRuns_ = true;
      return concat("batch ", kBatch * nextBatch_++, " ", kBatch);
    }
    return "case " + std::to_string(nextCase_++);
  }

  // One at a time, of cases that were interpreted before, and only while the share of time allows one more.
  bool batchDue() const {
    if (!options_.compilers || batchRuns_ || kBatch * (nextBatch_ + 1) > nextCase_) return false;
    return batchSeconds_ + batchEstimate_ <= kCompilerShare * (workerSeconds_ + batchEstimate_);
  }

  void accountBatch(const Outcome& outcome, const TaskResult& result) {
    batchRuns_ = false;
    batchSeconds_ += outcome.seconds;
    batchEstimate_ = outcome.seconds;
    reports::Compilers& compilers = summary_.compilers;
    compilers.cases += result.batch.cases;
    compilers.kernels += result.batch.kernels;
    compilers.clangSeconds += result.batch.clangSeconds;
    compilers.nvrtcSeconds += result.batch.nvrtcSeconds;
    compilers.seconds += outcome.seconds;
    if (result.batch.skipped != compilers.skipped) say("compilers that did not run: " + result.batch.skipped);
    compilers.skipped = result.batch.skipped;
  }

  void take(const Outcome& outcome) {
    TaskResult result;
    workerSeconds_ += outcome.seconds;
    if (outcome.ending == Ending::Finished) {
      result = taskResultFromJson(outcome.reply);
    } else {
      result.verdict.kind = kindOf(outcome.ending);
      result.verdict.reason = outcome.detail.substr(0, outcome.detail.find('\n'));
      result.verdict.detail = outcome.detail;
    }
    if (isBatch(outcome.task)) {
      accountBatch(outcome, result);
    } else {
      account(result);
    }
    const bool brokenFile = outcome.task.rfind("file ", 0) == 0 && !result.verdict.expected;
    if (isFinding(result.verdict.kind) || brokenFile) keepFinding(outcome.task, result);
    if (elapsed() - lastProgress_ >= kProgressSeconds) progress();
  }

  void account(const TaskResult& result) {
    const CaseVerdict& verdict = result.verdict;
    ++summary_.cases;
    summary_.runs += result.runs;
    ++summary_.verdicts[std::string(verdictName(verdict.kind))];
    if (verdict.kind == VerdictKind::Rejected) ++summary_.rejectedByReason[withoutNumbers(verdict.reason)];
    const bool judged = verdict.kind == VerdictKind::Agrees || verdict.kind == VerdictKind::Undecided ||
                        verdict.kind == VerdictKind::Differs;
    summary_.judgedCases += judged;
    summary_.decidedCases += verdict.kind == VerdictKind::Agrees || verdict.kind == VerdictKind::Differs;
    summary_.probedCases += verdict.probed;
    summary_.elements.judged += verdict.elements.judged;
    summary_.elements.decided += verdict.elements.decided;
    summary_.outputs.judged += verdict.outputs.judged;
    summary_.outputs.decided += verdict.outputs.decided;
    for (const std::string& op : result.ops) ++summary_.ops[op].cases;
    for (const std::string& dtype : result.dtypes) ++summary_.dtypes[dtype].cases;
    for (const std::string& rank : result.ranks) ++summary_.ranks[rank].cases;
    for (const auto& [scheduler, segments] : verdict.schedulers) summary_.schedulers[scheduler].cases += segments > 0;
    for (const auto& [op, counts] : verdict.ops) {
      reports::Elements& elements = summary_.ops[std::string(opName(op))].elements;
      elements.judged += counts.judged;
      elements.decided += counts.decided;
    }
    for (const auto& [stage, seconds] : verdict.seconds) summary_.stageSeconds[stage] += seconds;
  }

  static bool isBatch(const std::string& task) { return task.rfind("batch ", 0) == 0; }

  // A batch is many cases and two compilers: it gets the time of as many cases.
  Limits limitsOf(const std::string& task) const {
    Limits limits = options_.limits;
    if (isBatch(task)) limits.seconds *= static_cast<double>(kBatch);
    return limits;
  }

  // The first case of a batch that ends as badly alone, with the engine set; none when all end well.
  std::string guiltyText(const std::string& batch) {
    std::istringstream words(batch.substr(batch.find(' ')));
    uint64_t first = 0, count = 0;
    words >> first >> count;
    for (uint64_t number = first; number < first + count; ++number) {
      const std::string task = concat("batch ", number, " 1");
      const Outcome alone = runAlone(task, limitsOf(task), work_);
      if (alone.ending == Ending::Finished && !isFinding(taskResultFromJson(alone.reply).verdict.kind)) continue;
      Case guilty = parseCase(textOf(concat("case ", number)), "batch");
      guilty.options.engine = EngineKind::Cpu;
      return printCase(guilty);
    }
    return "";
  }

  // The case's text where its worker could not give it.
  std::string textOf(const std::string& task) {
    const size_t space = task.find(' ');
    if (isBatch(task)) return guiltyText(task);
    if (task.rfind("file ", 0) == 0) return readTextFile(task.substr(space + 1));
    const Outcome outcome = runAlone("print " + task.substr(space + 1), options_.limits, work_);
    return outcome.ending == Ending::Finished ? taskResultFromJson(outcome.reply).text : "";
  }

  // Whether a fresh process comes to the same verdict.
  std::string reproduction(const std::string& task, VerdictKind kind) {
    const Outcome outcome = runAlone(task, limitsOf(task), work_);
    const VerdictKind again =
        outcome.ending == Ending::Finished ? taskResultFromJson(outcome.reply).verdict.kind : kindOf(outcome.ending);
    if (again == kind) return "fails fresh";
    return concat("fails only after its history: fresh it ", verdictName(again));
  }

  void keepFinding(const std::string& task, TaskResult& result) {
    const CaseVerdict& verdict = result.verdict;
    reports::Finding finding;
    finding.kind = verdictName(verdict.kind);
    finding.reason = verdict.reason;
    finding.origin = task.rfind("file ", 0) == 0 ? task.substr(5) : concat("seed ", options_.seed, " ", task);
    finding.reproduces = reproduction(task, verdict.kind);
    if (result.text.empty()) result.text = textOf(task);
    if (!options_.out.empty() && !result.text.empty() && summary_.findings.size() < kMaxArtifacts) {
      const std::string prefix(isFinding(verdict.kind) ? artifactPrefix(verdict.kind) : "mismatch");
      std::string text = concat("#: finding = ", oneLine(finding.kind + ": " + finding.reason),
                                "\n#: reproduces = ", oneLine(finding.reproduces), "\n", result.text);
      finding.file = prefix + "-" + sha1(result.text) + ".fusion";
      reports::writeFile(options_.out / finding.file, text);
      finding.replay = concat(options_.program, " replay ", (options_.out / finding.file).string());
    } else if (task.rfind("case ", 0) == 0) {
      finding.replay = concat(options_.program, " generate --seed ", options_.seed, " --case ", task.substr(5),
                              options_.generatorFlags, " > case.fusion && ", options_.program, " replay case.fusion");
    } else {
      finding.replay = "name a folder with --out: the case is written there";
    }
    say(concat("FINDING ", finding.kind, " (", finding.origin, ", ", finding.reproduces, "): ", finding.reason,
               "\n  replay: ", finding.replay));
    summary_.findings.push_back(std::move(finding));
  }

  // Metadata is one line of printable text, whatever an error quotes.
  static std::string oneLine(const std::string& text) {
    std::string line;
    for (char c : text.substr(0, 300)) line += c >= ' ' && c < 127 ? c : ' ';
    return line;
  }

  void progress() {
    lastProgress_ = elapsed();
    summary_.seconds = elapsed();
    char figures[200];
    std::snprintf(figures, sizeof figures, "%.0f s: %lld cases, %.1f/s, decided %.4f, rejected %.4f, findings %zu",
                  elapsed(), static_cast<long long>(summary_.cases), reports::casesPerSecond(summary_),
                  reports::decidedShare(summary_), reports::rejectedShare(summary_), summary_.findings.size());
    say(figures);
    writeReport();
  }

  void writeReport() {
    if (!options_.out.empty()) reports::writeFile(options_.out / "report.json", reports::toJson(summary_));
  }

  void finish() {
    summary_.seconds = elapsed();
    summary_.interrupted = interrupted_();
    for (OpKind op : kAllOps) {
      if (!summary_.ops.count(std::string(opName(op)))) summary_.neverGenerated.emplace_back(opName(op));
    }
    writeReport();
    say(reports::toText(summary_));
    FUSER_USER_CHECK(summary_.interrupted || summary_.judgedCases > 0 || !summary_.findings.empty(),
                     "the campaign judged nothing: ", summary_.cases, " cases, none of them judged");
    FUSER_USER_CHECK(summary_.compilers.skipped.empty() || !summary_.findings.empty(), "a check could not run: ",
                     summary_.compilers.skipped, "; --no-compilers leaves it out");
  }

  const CampaignOptions& options_;
  const Interrupt& interrupted_;
  const Log& log_;
  Clock::time_point start_;
  TaskSettings settings_;
  WorkerPool::Work work_;
  std::ofstream logFile_;
  reports::CampaignSummary summary_;
  std::vector<std::string> corpus_;
  size_t nextFile_ = 0;
  uint64_t nextCase_ = 0;
  uint64_t nextBatch_ = 0;
  bool batchRuns_ = false;
  double workerSeconds_ = 0, batchSeconds_ = 0, batchEstimate_ = 8;
  double lastProgress_ = 0;
};

}  // namespace

reports::CampaignSummary runCampaign(const CampaignOptions& options, const Interrupt& interrupted, const Log& log) {
  return Campaign(options, interrupted, log).run();
}

int exitCode(const reports::CampaignSummary& summary) {
  if (summary.findings.empty()) return summary.interrupted ? kExitInterrupted : kExitClean;
  const auto all = [&](std::string_view kind) {
    return std::all_of(summary.findings.begin(), summary.findings.end(),
                       [&](const reports::Finding& finding) { return finding.kind == kind; });
  };
  if (all("hang")) return kExitTimeout;
  if (all("oom")) return kExitMemory;
  return kExitFinding;
}

}  // namespace fuser::fuzz
