// The supervisor of a campaign: gives tasks, takes results, keeps ledger, log and report.

#include "fuzz/campaign/campaign.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <set>

#include "fuser/execute/clang_compiler.h"
#include "fuser/execute/nvrtc.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/campaign/bucket_minimizer.h"
#include "fuzz/campaign/campaign_folder.h"
#include "fuzz/campaign/confirm.h"
#include "fuzz/campaign/feedback.h"
#include "fuzz/campaign/findings.h"
#include "fuzz/campaign/sha1.h"
#include "fuzz/campaign/start_time.h"
#include "fuzz/campaign/supply.h"
#include "fuzz/campaign/write_results.h"
#include "fuzz/worlds/world.h"
#include "reports/fields_bytes.h"

namespace fuser::fuzz {
namespace {

constexpr double kProgressSeconds = 5;   // between lines, progress points and reports
constexpr double kShowSeconds = 0.25;    // between redraws
constexpr double kPatienceSeconds = 10;  // after the first Ctrl-C, for what runs
constexpr size_t kTasksPerWorker = 500;  // bounds a finding's history
constexpr size_t kCasesPerWorkerOnTarget = 1000;  // whose own processes it starts, too
constexpr size_t kMaxProgressPoints = 400;
constexpr size_t kRecent = 6;  // progress lines, over which the present speed is taken

using Files = std::vector<std::pair<std::string, std::string>>;  // path, sha1

std::vector<std::string> pathsOf(const Files& files) {
  std::vector<std::string> paths;
  for (const auto& [path, hash] : files) paths.push_back(path);
  return paths;
}

class Supervisor : public TaskSource {
 public:
  Supervisor(const CampaignOptions& options, const Interrupt& interrupted, const Log& print)
      : options_(options), interrupted_(interrupted), print_(print), start_(Clock::now()) {
    settings_ = options.task;
    settings_.seed = options.seed;
    settings_.judge.memoryMb = options.limits.residentMb;
    if (options.feedback > 0)
      settings_.workingCorpus = std::filesystem::absolute(options.workingCorpus.empty() ? options.out / kWorkingFolder
                                                                                        : options.workingCorpus);
  }

  reports::CampaignSummary run() {
    open();
    const auto work = [settings = settings_, limits = options_.limits](const std::string& text, spdlog::logger* log) {
      TaskSettings logging = settings;
      logging.judge.log = log;
      return std::visit(ByKind{[&](const MinimizeTask& task) { return performMinimize(task, settings, limits); },
                               [&](const ConfirmTask& task) { return encode(confirm(task.suspect, settings, limits)); },
                               [&](const CasesTask& task) { return reports::encode(performCases(task, logging)); },
                               [&](const auto& task) { return encode(performTask(JudgingTask(task), logging)); }},
                        parseTask<Task>(text));
    };
    WorkerPool(
        options_.jobs, [this](const std::string& text) { return limitsOf(parseTask<Task>(text)); }, work, log_,
        options_.task.judge.target ? kCasesPerWorkerOnTarget / options_.casesAtOnce : kTasksPerWorker)
        .run(*this);
    return finish();
  }

  // --- TaskSource ---
  std::optional<PoolTask> next() override {
    if (interrupted()) return std::nullopt;
    // Half of the workers at most run findings again, as long as there are cases.
    const size_t most = std::max<size_t>(1, static_cast<size_t>(options_.jobs) / 2);
    if (confirming_ < most || stopped()) {
      if (std::optional<PoolTask> task = findings_->nextConfirmation()) {
        ++confirming_;
        return countTask(std::move(task));
      }
    }
    casesDone_ = stopped();
    if (!casesDone_) {
      if (std::optional<PoolTask> task = supply_->next()) return countTask(std::move(task));
      casesDone_ = true;
    }
    return countTask(nextMinimization());
  }

  void done(const Outcome& outcome, const std::vector<std::string>& history) override {
    countWork();
    --running_[parseTask<Task>(outcome.task).index()];
    const bool isAborted = interrupted() && outcome.ending == Ending::TimedOut;
    std::visit(ByKind{[&](const MinimizeTask&) {
                        if (!isAborted) takeMinimization(outcome);
                      },
                      [&](const ConfirmTask& task) {
                        --confirming_;
                        if (!isAborted) findings_->takeConfirmation(task, outcome);
                      },
                      [&](const CasesTask& task) { doneCases(task, outcome, isAborted, history); },
                      [&](const auto& task) { doneSingle(SingleTask(task), outcome, isAborted, history); }},
               parseTask<Task>(outcome.task));
  }

  void turn() override {
    ledger_->commitIfDue();
    if (ledger_->foldDue()) ledger_->fold(accounting_, elapsed());
    if (options_.statusRequested && options_.statusRequested())
      logLine(log_.get(), LogLevel::Info, statusLine(status()));
    if (options_.show && elapsed() - lastShown_ >= kShowSeconds) {
      lastShown_ = elapsed();
      options_.show(status());
    }
    if (elapsed() - lastProgress_ >= kProgressSeconds) progress();
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Of all starts.
  double elapsed() const { return before_ + std::chrono::duration<double>(Clock::now() - start_).count(); }

  bool interrupted() {
    if (!interruptedAt_ && interrupted_()) interruptedAt_ = elapsed();
    return interruptedAt_.has_value();
  }

  // What the workers did since the last time, for the points of progress: called before they do something else.
  void countWork() {
    const double passed = elapsed() - workCountedTo_;
    compilerSeconds_ += passed * static_cast<double>(running<BatchTask>());
    minimizerSeconds_ += passed * static_cast<double>(running<MinimizeTask>());
    workCountedTo_ += passed;
  }

  std::optional<PoolTask> countTask(std::optional<PoolTask> task) {
    countWork();
    if (task) ++running_[parseTask<Task>(task->text).index()];
    return task;
  }

  template <class Kind>
  size_t running() const {
    const auto found = running_.find(Task(Kind{}).index());
    return found == running_.end() ? 0 : found->second;
  }

  size_t runningTasks() const {
    size_t count = 0;
    for (const auto& [kind, tasks] : running_) count += tasks;
    return count;
  }

  // When all else is done.
  std::optional<PoolTask> nextMinimization() {
    if (!options_.minimize) return std::nullopt;
    if (!minimizing_) {
      if (runningTasks() > 0 || findings_->unconfirmed() > 0) return std::nullopt;
      minimizing_ = true;
      minimizer_->begin(findings_->all());
    }
    return minimizer_->next();
  }

  void doneSingle(const SingleTask& task, const Outcome& outcome, bool isAborted,
                  const std::vector<std::string>& history) {
    if (isAborted) {
      say(concat(outcome.task, " was abandoned: it took too long to finish after the interrupt"));
    } else if (outcome.fromOutside && supply_->again(task)) {
      say(concat("the worker on ", outcome.task, " was killed from outside; it runs again alone"));
    } else {
      recordResult(task, resultOf(outcome), outcome.seconds, history);
    }
  }

  void doneCases(const CasesTask& task, const Outcome& outcome, bool isAborted,
                 const std::vector<std::string>& history) {
    if (isAborted) return say("cases were abandoned: they took too long to finish after the interrupt");
    if (outcome.ending != Ending::Finished) return supply_->againOneByOne(task);
    std::vector<std::string> before = history;
    for (auto& result : reports::decode<std::vector<TaskResult>>(outcome.reply)) {
      const SingleTask one = CaseTask{task.first + before.size() - history.size()};
      recordResult(one, std::move(result), outcome.seconds / static_cast<double>(task.count), before);
      before.push_back(printTask(one));
    }
  }

  void takeMinimization(const Outcome& outcome) {
    for (LedgerFinding& other : minimizer_->accept(outcome)) {
      const LedgerFinding* added = findings_->addLabelled(std::move(other));
      if (added != nullptr && !enoughFindings()) minimizer_->add(*added);
    }
    ledger_->commit();  // the bucket with what was met on its way, or none of it: it is done again then
  }

  // Goals are reached: no more cases.
  bool stopped() const {
    if (maxTotalTime_ > 0 && elapsed() >= maxTotalTime_) return true;
    return enoughFindings();
  }

  bool enoughFindings() const {
    return options_.maxFindings > 0 && static_cast<uint64_t>(findings_->countNew()) >= options_.maxFindings;
  }

  void open() {
    const bool bounded = options_.runs > 0 || options_.maxTotalTime > 0;
    FUSER_USER_CHECK(bounded || options_.resume, "set a limit with --runs or --max-total-time");
    checkPrograms();
    if (!options_.growCorpus.empty()) {
      FUSER_USER_CHECK(!options_.out.empty() && options_.minimize,
                       "--grow-corpus adds minimised findings: it needs --out, and not --no-minimize");
      makeWritableFolder(options_.growCorpus);
    }
    if (!options_.out.empty()) {
      checkLedgerIsThere(options_.out, options_.resume);
      makeWritableFolder(options_.out);
      ledger_.emplace(options_.out, options_.resume);
    } else {
      FUSER_USER_CHECK(!options_.resume, "--resume goes on in a folder: name it with --out");
      ledger_.emplace();
    }
    if (ledger_->isNew()) {
      begin();
    } else {
      goOn();
    }
    FUSER_USER_CHECK(runs_ > 0 || maxTotalTime_ > 0, "set a limit with --runs or --max-total-time");
    if (const auto& world = options_.task.generator.world) {
      runs_ = runs_ == 0 ? world->count() : std::min(runs_, world->count());
    }
    if (!options_.out.empty()) {
      const LogLevel level = std::min(logLevelOf(options_.log.get()), LogLevel::Info);
      file_ = logToFile(level, options_.out / "campaign.log",
                        [this](const std::string& sentence) { logLine(options_.log.get(), LogLevel::Warn, sentence); });
    }
    log_ = logToBoth(options_.log, file_);
    accounting_ = contents_.accounting;
    before_ = lastProgress_ = workCountedTo_ = contents_.seconds;
    lastShown_ = contents_.seconds - kShowSeconds;  // the first turn draws
    points_ = contents_.progress;
    if (!points_.empty()) {
      compilerSeconds_ = points_.back().compilerSeconds;
      minimizerSeconds_ = points_.back().minimizerSeconds;
    }
    recent_.emplace_back(elapsed(), accounting_.sums().cases);
    supply_.emplace(pathsOf(contents_.files), runs_, options_.compilers, accounting_, options_.casesAtOnce,
                    options_.shard);
    if (options_.feedback > 0) openFeedback();
    Findings::Settings settings;
    settings.context = {options_.out,    options_.program,          options_.seed, options_.generatorFlags,
                        options_.limits, options_.task.judge.probes};
    if (const auto& target = options_.task.judge.target) settings.context.target = target->name();
    settings.logged = contextOfReport(settings.context, options_.out, "");
    settings.elapsed = [this] { return elapsed(); };
    settings.maxBytes = options_.maxArtifactBytes;
    settings.known = options_.knownIssues;
    for (const auto& [key, value] : contents_.stamp) {
      const bool ofTheCase =
          key == "seed" || key == "corpora" || key == "generator flags" || key == kShardKey || value.empty();
      if (!ofTheCase) settings.stamp.emplace_back(key, value);
    }
    findings_.emplace(std::move(settings), *ledger_, contents_.findings,
                      [this](const std::string& line, const std::string& logged) { say(line, logged); });
    minimizer_.emplace(BucketMinimizer::Settings{options_.out, options_.growCorpus, options_.minimizeSeconds}, *ledger_,
                       findings_->artifacts(), contents_.minimized, [this](const std::string& line) { say(line); });
    contents_.settings["jobs"] = std::to_string(options_.jobs);
    contents_.settings["timeout"] = std::to_string(options_.limits.seconds);
    contents_.settings["rss-limit-mb"] = std::to_string(options_.limits.residentMb);
    contents_.settings["runs"] = std::to_string(runs_);
    contents_.settings["max-total-time"] = std::to_string(maxTotalTime_);
    contents_.settings["state"] = "running";
    if (ledger_->isNew()) {
      contents_.settings[kBegunIn] = std::filesystem::current_path().string();
      contents_.settings[kStarted] = timeNow();
    }
    for (const auto& [name, words] : options_.arguments) contents_.settings[kArgumentPrefix + name] = words;
    for (const auto& [key, value] : contents_.settings) ledger_->setSetting(key, value);
    ledger_->commit();
    say(concat("seed ", options_.seed, options_.shard.isWhole() ? "" : ", part " + options_.shard.text(), ", ",
               options_.jobs, options_.jobs == 1 ? " worker" : " workers"));
    if (!ledger_->isNew()) {
      say(concat("going on after ", accounting_.sums().cases, " cases and ", contents_.findings.size(),
                 contents_.findings.size() == 1 ? " finding" : " findings"));
    }
  }

  void openFeedback() {
    feedback_.emplace(
        Feedback::Settings{settings_.workingCorpus, options_.out.empty() ? "" : options_.out / kDecisionsName,
                           options_.feedback, options_.seed, options_.shard, !ledger_->isNew()},
        accounting_.sums().combinations);
    if (!feedback_->leftOut().empty()) logLine(log_.get(), LogLevel::Warn, feedback_->leftOut());
    supply_->replaceCases([this](uint64_t number) { return feedback_->taskFor(number); });
  }

  // Those that it needs at some time or other. The compilers are tried by the first task, too.
  void checkPrograms() const {
    Symboliser::check();
    if (!options_.compilers) return;
    ClangCompiler::removeAbandonedFolders();
    const auto open = [](const std::string&) { return Nvrtc().version(); };
    try {
      ClangCompiler::find();
      const Outcome outcome = runAlone("nvrtc", options_.limits, open);  // its library stays in who opens it
      FUSER_SET_UP_CHECK(outcome.ending == Ending::Finished, "NVRTC does not open: ", outcome.detail);
    } catch (const SetUpError& error) {
      throw SetUpError(concat(error.what(), "; or leave the compilers out with --no-compilers"));
    }
  }

  void begin() {
    runs_ = options_.runs;
    maxTotalTime_ = options_.maxTotalTime;
    std::set<std::string> seen;
    for (const std::filesystem::path& corpus : options_.corpora) {
      FUSER_USER_CHECK(!std::filesystem::is_regular_file(corpus) || corpus.extension() == ".fusion", corpus.string(),
                       " is not a .fusion file");
    }
    for (const std::filesystem::path& file : fusionFiles(options_.corpora)) {
      if (seen.insert(file.string()).second) contents_.files.emplace_back(file.string(), sha1(readTextFile(file)));
    }
    FUSER_USER_CHECK(runs_ > 0 || maxTotalTime_ > 0, "set a limit with --runs or --max-total-time");
    const bool hasTasks =
        runs_ == 0 || options_.shard.casesOf(runs_) > 0 || options_.shard.from(0) < contents_.files.size();
    FUSER_USER_CHECK(hasTasks, "part ", options_.shard.text(), " of ", runs_, " cases has none: parts get them by ",
                     Shard::kBlock, "; take fewer parts, or more cases");
    contents_.stamp = stampOf(options_);
    ledger_->begin(contents_.stamp, contents_.files);
  }

  void goOn() {
    const std::string where = concat("cannot go on with the campaign in ", options_.out.string(), ": ");
    const std::string difference = differenceOf(ledger_->stamp(), stampOf(options_));
    FUSER_USER_CHECK(difference.empty(), where, difference);
    contents_ = ledger_->load();
    for (size_t i = 0; i < contents_.files.size(); ++i) {
      const auto& [path, hash] = contents_.files[i];
      if (contents_.accounting.files().contains(i)) continue;
      std::error_code error;
      FUSER_USER_CHECK(std::filesystem::exists(path, error), where, path, " does not exist; the campaign was begun in ",
                       contents_.settings[kBegunIn]);
      FUSER_USER_CHECK(sha1(readTextFile(path)) == hash, where, path, " has changed since it began");
    }
    runs_ = options_.runs;
    maxTotalTime_ = options_.maxTotalTime;
    if (runs_ > 0 || maxTotalTime_ > 0) return;
    runs_ = std::strtoull(contents_.settings["runs"].c_str(), nullptr, 10);
    maxTotalTime_ = std::strtod(contents_.settings["max-total-time"].c_str(), nullptr);
  }

  void say(const std::string& line) { say(line, line); }
  void say(const std::string& line, const std::string& logged) {
    print_(line);
    logLine(file_.get(), LogLevel::Info, logged);
  }

  Limits limitsOf(const Task& task) {
    const bool impatient = interrupted() && elapsed() - *interruptedAt_ > kPatienceSeconds;
    // Processes of its own keep the limits.
    Limits fromWithin = options_.limits;
    fromWithin.seconds = interrupted() ? 0 : 1e9;
    Limits usual = options_.limits;
    if (impatient) usual.seconds = 0;
    const auto ofMany = [&](uint64_t count) {
      Limits many = usual;
      many.seconds *= static_cast<double>(count);
      return many;
    };
    return std::visit(
        ByKind{[&](const MinimizeTask&) { return fromWithin; }, [&](const ConfirmTask&) { return fromWithin; },
               [&](const BatchTask&) { return ofMany(kBatch); },  // and two compilers
               [&](const CasesTask& block) { return ofMany(block.count); }, [&](const CaseTask&) { return usual; },
               [&](const PlainTask&) { return usual; }, [&](const ViewTask&) { return usual; },
               [&](const MutantTask&) { return usual; }, [&](const FileTask&) { return usual; }},
        task);
  }

  void recordResult(const SingleTask& task, TaskResult result, double seconds, const std::vector<std::string>& texts) {
    const std::string key = supply_->keyOf(task);
    const bool fresh = accounting_.add(key, result, seconds);
    FUSER_CHECK(fresh, key, " is done twice");
    const CaseVerdict verdict = result.verdict;
    const std::string text = result.text;
    const bool bad = isFinding(verdict.kind) || !verdict.expected;
    // The ledger keeps figures; what was found has a table of its own.
    if (feedback_) feedback_->take(result);
    result.text = result.verdict.detail = result.caseText = "";
    result.verdict.worst.clear();
    result.decisions.clear();
    const std::vector<BatchFinding> inBatch = std::move(result.findings);
    result.findings.clear();
    const bool plain = !bad && inBatch.empty() && result.slow == 0;
    ledger_->record(key, encode(result), seconds, elapsed());
    const Features features = featuresOf(result);
    const std::vector<SingleTask> history = bad || !inBatch.empty() ? singleTasks(texts) : std::vector<SingleTask>();
    if (bad) seeFinding(task, result.view, verdict, text, features, history);
    if (result.slow > 0) findings_->keepSlow(task, text, result.slow);
    for (const BatchFinding& one : inBatch)
      findings_->see(BatchTask{one.number, 1}, one.verdict, one.text, {}, history);
    if (!plain) ledger_->commit();
    if (!result.batch.skipped.empty() && skipped_ != result.batch.skipped) {
      skipped_ = result.batch.skipped;
      say("compilers that did not run, or not all cases: " + skipped_);
    }
  }

  // Without the findings that ran again between them.
  static std::vector<SingleTask> singleTasks(const std::vector<std::string>& texts) {
    std::vector<SingleTask> tasks;
    for (const std::string& text : texts) {
      std::visit(ByKind{[](const MinimizeTask&) {}, [](const ConfirmTask&) {},
                        [&](const CasesTask& task) {
                          for (const SingleTask& one : casesOf(task)) tasks.push_back(one);
                        },
                        [&](const auto& task) { tasks.emplace_back(task); }},
                 parseTask<Task>(text));
    }
    return tasks;
  }

  // view: of the case, where it is not the case itself that fails. Its process has done the parts before, too.
  void seeFinding(const SingleTask& task, const std::string& view, const CaseVerdict& verdict, const std::string& text,
                  const Features& features, std::vector<SingleTask> history) {
    if (view.empty()) return findings_->see(task, verdict, text, features, history);
    for (const SingleTask& part : partsOf(task, options_.seed)) {
      const ViewTask* seen = std::get_if<ViewTask>(&part);
      if (seen && seen->view == view) return findings_->see(part, verdict, text, features, history);
      history.push_back(part);
    }
    FUSER_CHECK(false, printTask(task), " is not judged in the view ", view);
  }

  Status status() {
    const reports::Sums& summary = accounting_.sums();
    Status status;
    status.seconds = elapsed();
    status.cases = summary.cases;
    const auto& [then, casesThen] = recent_.front();
    const double since = elapsed() - then;
    status.casesPerSecond = since > 0 ? static_cast<double>(summary.cases - casesThen) / since : 0;
    status.decidedShare = reports::decidedShare(summary);
    status.decidedCaseShare = reports::decidedCaseShare(summary);
    status.rejectedShare = reports::rejectedShare(summary);
    status.buckets = findings_->buckets();
    status.findings = findings_->countNew();
    status.known = findings_->countKnown();
    const bool casesDone =
        casesDone_ && running<CaseTask>() + running<CasesTask>() + running<MutantTask>() + running<FileTask>() == 0;
    status.activity = activityOf({casesDone, running<BatchTask>(), running<ConfirmTask>(), running<MinimizeTask>(),
                                  minimizer_->waiting(), options_.minimizeSeconds});
    if (casesDone) return status;
    if (maxTotalTime_ > 0) {
      status.done = elapsed() / maxTotalTime_;
      status.secondsLeft = std::max(0.0, maxTotalTime_ - elapsed());
    }
    const uint64_t all = options_.shard.casesOf(runs_);
    if (all > 0 && status.casesPerSecond > 0) {
      const double left = static_cast<double>(all) - static_cast<double>(accounting_.cases().count());
      const double seconds = left / status.casesPerSecond;
      if (!status.secondsLeft || seconds < *status.secondsLeft) {
        status.done = 1 - left / static_cast<double>(all);
        status.secondsLeft = seconds;
      }
    }
    return status;
  }

  void progress() {
    lastProgress_ = elapsed();
    logLine(file_.get(), LogLevel::Info, statusLine(status()));
    recent_.emplace_back(elapsed(), accounting_.sums().cases);
    if (recent_.size() > kRecent) recent_.pop_front();
    addPoint();
    contents_.accounting = accounting_;
    contents_.findings = findings_->all();
    contents_.progress = points_;
    contents_.seconds = elapsed();
    // Pages of findings come at the end: they take longer, the more there are.
    if (!options_.out.empty()) reports::writeReports(options_.out, summaryOf(contents_, options_.out, options_.out));
  }

  void addPoint() {
    countWork();
    points_.push_back({elapsed(), accounting_.sums().cases, static_cast<int64_t>(findings_->all().size()),
                       compilerSeconds_, minimizerSeconds_});
    if (points_.size() > kMaxProgressPoints) {
      // Every other one: the later the sparser.
      for (size_t i = 0; 2 * i + 1 < points_.size(); ++i) points_[i] = points_[2 * i + 1];
      points_.resize(points_.size() / 2);
    }
    ledger_->setProgress(points_);
  }

  void writeReport(const reports::CampaignSummary& summary) {
    if (!options_.out.empty()) writeResults(options_.out, summary);
  }

  reports::CampaignSummary finish() {
    addPoint();
    ledger_->setSetting("state", interrupted() ? "interrupted" : "finished");
    ledger_->fold(accounting_, elapsed());
    const reports::CampaignSummary summary = summaryOf(ledger_->load(), options_.out, options_.out);
    ledger_->close();
    if (feedback_) say(feedback_->line());
    writeReport(summary);
    logLine(file_.get(), LogLevel::Info, reports::toText(summary));
    if (findings_->leftOut() > 0) say(concat(findings_->leftOut(), " artifacts were not written: there was no room"));
    const std::string problem = summary.interrupted ? "" : reports::setUpProblem(summary);
    FUSER_USER_CHECK(problem.empty(), problem);
    return summary;
  }

  const CampaignOptions& options_;
  const Interrupt& interrupted_;
  const Log& print_;
  Clock::time_point start_;
  TaskSettings settings_;
  std::optional<Ledger> ledger_;
  std::optional<Supply> supply_;
  std::optional<Feedback> feedback_;
  std::optional<Findings> findings_;
  std::optional<BucketMinimizer> minimizer_;
  std::map<size_t, size_t> running_;  // tasks by kind: the index of a Task
  bool casesDone_ = false;            // there are none to give, for now
  bool minimizing_ = false;           // there are no cases any more
  Accounting accounting_;
  Ledger::Contents contents_;  // as it was at the beginning, or the last progress line
  LogPtr file_;                // campaign.log: what is printed, too, and progress; null without a folder
  LogPtr log_;                 // what is not printed: the one that was given, and campaign.log
  uint64_t runs_ = 0;
  double maxTotalTime_ = 0;
  double before_ = 0;                                  // seconds of earlier starts
  double compilerSeconds_ = 0, minimizerSeconds_ = 0;  // of workers, all starts
  double workCountedTo_ = 0;
  std::optional<double> interruptedAt_;
  size_t confirming_ = 0;
  std::string skipped_;
  std::vector<reports::Progress> points_;
  std::deque<std::pair<double, int64_t>> recent_;  // seconds, cases, at the last progress lines
  double lastProgress_ = 0, lastShown_ = 0;
};

}  // namespace

reports::CampaignSummary runCampaign(const CampaignOptions& options, const Interrupt& interrupted, const Log& print) {
  return Supervisor(options, interrupted, print).run();
}

int exitCode(const reports::CampaignSummary& summary) {
  if (summary.interrupted) return kExitInterrupted;
  std::vector<std::string> kinds;
  for (const reports::Finding& finding : summary.findings) {
    if (finding.known.empty()) kinds.push_back(finding.kind);
  }
  const auto all = [&](std::string_view kind) {
    return std::all_of(kinds.begin(), kinds.end(), [&](const std::string& one) { return one == kind; });
  };
  if (kinds.empty()) return reports::setUpProblem(summary).empty() ? kExitClean : kExitSetup;
  if (all("hang")) return kExitTimeout;
  return all("oom") ? kExitMemory : kExitFinding;
}

}  // namespace fuser::fuzz
