// fuserfuzz run: a campaign.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "fuser/command_line/numbers.h"
#include "fuser/log/log.h"
#include "fuzz/campaign/artifacts.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "fuzz/cli/resume.h"
#include "fuzz/judge/bucket.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {
namespace {

struct RunArguments {
  GeneratorArguments generator;
  WorkerArguments workers;
  TargetArguments target;
  bool mixedData = false;
  CampaignOptions campaign;
  std::vector<std::string> corpora;
  std::string out, growCorpus, shard;
  std::string knownIssues;
  int64_t maxArtifactMb = 256;
  bool noProbes = false, noCompilers = false, noMinimize = false;
  bool quiet = false, verbose = false, json = false;
};

// The lists beside the repository's corpora, for who runs it from there.
constexpr const char* kKnownIssues = "corpus/known_issues";

std::vector<KnownIssue> knownIssues(const std::string& named, const std::string& target) {
  if (named.empty() && !std::filesystem::exists(kKnownIssues)) return {};
  const std::filesystem::path list = knownIssuesList(named.empty() ? kKnownIssues : named, target);
  return list.empty() ? std::vector<KnownIssue>{} : readKnownIssues(list);
}

// A release of a target may have mended them. They are judged as `replay` does: some show in mixed mode alone.
void sayOutdated(const CampaignOptions& campaign, const TargetArguments& target,
                 const std::function<void(const std::string&)>& say) {
  TaskSettings settings = campaign.task;
  settings.judge.secondLooks = HowOften::Always;
  Limits limits = campaign.limits;
  target.resolve(settings.judge, limits);
  for (const std::string& line : outdated(campaign.knownIssues, settings, limits)) say(line);
}

// Progress, where standard error is a terminal: a block at its bottom, on a dumb one a line now and then.
// In a pipe there is none.
class Screen {
 public:
  explicit Screen(const LogPtr& log) : log_(log) {
    if (!isatty(STDERR_FILENO) || !isLogged(log.get(), LogLevel::Info)) return;
    const char* terminal = std::getenv("TERM");
    dumb_ = terminal == nullptr || std::string(terminal) == "dumb";
    const char* noColor = std::getenv("NO_COLOR");
    if (!dumb_) display_.emplace(stderr, noColor == nullptr || *noColor == '\0');
  }
  // Removes the block. What is printed below it would be erased with it.
  void close() { display_.reset(); }
  // On standard output, which may be the same terminal.
  void line(const std::string& text) {
    above([&] { printLine(text); });
  }
  LogPtr log() {
    if (!display_) return log_;
    return logTo(logLevelOf(log_.get()),
                 [this](LogLevel level, std::string_view text) { above([&] { logLine(log_.get(), level, text); }); });
  }
  std::function<void(const Status&)> show() {
    if (display_) return [this](const Status& status) { display_->show(status); };
    if (dumb_) return [this](const Status& status) { showLine(status); };
    return {};
  }

 private:
  void above(const std::function<void()>& write) { display_ ? display_->above(write) : write(); }
  void showLine(const Status& status) {
    constexpr double kSeconds = 5;
    if (shownAt_ && status.seconds - *shownAt_ < kSeconds) return;
    if (shownAt_) logLine(log_.get(), LogLevel::Info, statusLine(status));
    shownAt_ = status.seconds;
  }

  LogPtr log_;
  bool dumb_ = false;
  std::optional<double> shownAt_;
  std::optional<StatusDisplay> display_;
};

void printEnd(const RunArguments& arguments, const reports::CampaignSummary& summary) {
  if (arguments.json) return printText(reports::toJson(summary));
  if (arguments.verbose) printLine(reports::toText(summary));
  const std::string report =
      arguments.out.empty() ? "" : "; " + (std::filesystem::path(arguments.out) / "report.html").string();
  const bool hasKernels = arguments.target.target.empty();  // another compiler's are not seen
  for (const std::string& line : {reports::rareFeaturesLine(summary), reports::missingEdgesLine(summary)}) {
    if (!arguments.quiet && hasKernels && !line.empty()) printLine(line);
  }
  if (const std::string exact = reports::exactModeLines(summary); !arguments.quiet && !exact.empty()) printLine(exact);
  printLine(reports::toLine(summary) + report);
  if (summary.interrupted && !arguments.out.empty()) {
    printLine("interrupted; to continue: fuserfuzz run --resume --out " + shellQuoted(arguments.out));
  }
}

int runCampaignCommand(CLI::App& run, RunArguments& arguments, const LogPtr& log) {
  CampaignOptions& campaign = arguments.campaign;
  if (campaign.resume) {
    const std::string line = "fuserfuzz run --resume --out " + shellQuoted(arguments.out);
    if (const auto kept = argumentsOf(arguments.out)) takeKeptArguments(run, *kept, line);
  }
  arguments.target.resolve(campaign.task.judge, arguments.workers.limits,
                           arguments.mixedData ? JudgingMode::Mixed : JudgingMode::Exact);
  const bool onTarget = campaign.task.judge.target != nullptr;
  if (arguments.mixedData) arguments.generator.drawUnder(arguments.target.target, arguments.target.profile());
  if (onTarget && !arguments.mixedData) arguments.generator.drawExactly();
  if (!arguments.shard.empty()) campaign.shard = Shard::parse(arguments.shard);
  FUSER_USER_CHECK(campaign.shard.isWhole() || arguments.generator.seed != 0,
                   "--shard needs --seed: the parts of a campaign draw their cases from one stream");
  arguments.generator.resolve();
  campaign.arguments = keptArguments(run);
  campaign.arguments["--seed"] = " " + std::to_string(arguments.generator.seed);
  campaign.seed = arguments.generator.seed;
  campaign.task.generator = arguments.generator.options;
  campaign.generatorFlags = arguments.generator.flags();
  campaign.program = runningProgram();
  campaign.task.judge.probes = !arguments.noProbes;
  campaign.compilers = !arguments.noCompilers && !onTarget;  // clang and NVRTC compile our kernels
  if (onTarget) campaign.casesAtOnce = kCasesAtOnce;
  campaign.minimize = !arguments.noMinimize;
  campaign.jobs = arguments.workers.jobs;
  campaign.limits = arguments.workers.limits;
  constexpr double kMinimizeSecondsOnTarget = 300;  // a candidate may take a compiler's seconds
  if (onTarget) campaign.minimizeSeconds = kMinimizeSecondsOnTarget;
  campaign.out = arguments.out;
  campaign.growCorpus = arguments.growCorpus;
  campaign.corpora.assign(arguments.corpora.begin(), arguments.corpora.end());
  campaign.maxArtifactBytes = arguments.maxArtifactMb << 20;
  campaign.knownIssues = knownIssues(arguments.knownIssues, stageOfTarget(arguments.target.target));
  watchInterrupts();
  watchStatusRequests();
  campaign.statusRequested = statusRequested;
  Screen screen(log);
  campaign.show = screen.show();
  campaign.log = screen.log();
  if (!arguments.generator.leftOut.empty()) logLine(campaign.log.get(), LogLevel::Warn, arguments.generator.leftOut);
  const bool silent = arguments.quiet || arguments.json;
  const auto say = [&](const std::string& line) {
    if (!silent) screen.line(line);
  };
  if (onTarget && !campaign.resume) sayOutdated(campaign, arguments.target, say);
  const reports::CampaignSummary summary = runCampaign(campaign, interrupted, say);
  screen.close();
  printEnd(arguments, summary);
  return exitCode(summary);
}

// What a campaign does, with the rates that are in the code.
std::string teaching() {
  std::string text = R"(
What a campaign does
  Each case is a random program with data. A worker process compiles it, runs it on the interpreter, and compares every
  element with the interval that LibTorch's result allows. A crash, a hang or a memory blow-up costs one case.
  A finding runs again in a new process and gets a label: fails fresh, fails only after its history (the shortest
  sequence of cases is kept), or flaky with its rate. Findings of one bucket count as one bug; ten files are kept per
  symptom. Corpora are judged first. ledger.sqlite stores each result at once: after kill -9 or a power cut, --resume
  continues, and no finished case runs or counts twice. The first Ctrl-C or SIGTERM writes the report, the second one
  exits at once; SIGHUP writes the report. SIGUSR1 logs a status line (info).

Further checks, on a sample of the case numbers
)";
  char line[160];
  std::snprintf(
      line, sizeof line, "  %-24s the first %llu of every %llu cases, in one batch; the first batch at the start\n",
      "cpu and ptx engines", static_cast<unsigned long long>(kBatch), static_cast<unsigned long long>(kBatchStride));
  text += line;
  std::snprintf(line, sizeof line, "  %-24s 1 in %-4d %s\n", "repeat", static_cast<int>(kRepeatOneIn),
                "a second run on the same data, which must give the same bits");
  text += line;
  for (const View& view : allViews()) {
    std::snprintf(line, sizeof line, "  %-24s 1 in %-4d %s\n", std::string(view.name).c_str(), view.oneIn,
                  std::string(view.summary).c_str());
    text += line;
  }
  return text + R"(
In --out
  report.html, report.json, junit.xml    what ran, what was covered, what was found
  mismatch-, check-, crash-, timeout-, oom-, violation-, invariant-, flaky-<sha1>.fusion    findings, ready to replay
  minimized-from-<sha1>.fusion           the smallest case of a bucket, made from that finding
  …-<sha1>.sequence                      the cases that must run before a finding, in order, for it to fail
  …-<sha1>.py                            the case of that name as a PyTorch script with its data; see export --help
  slow-unit-<sha1>.fusion                the slowest cases that are not findings (--report-slow-units)
  campaign.log                           the console's lines, progress, and the log from info on, or from --log-level
                                         if that is lower
  ledger.sqlite                          the state of the campaign, from which --resume and `report` start
  lock                                   the process that runs here
  A campaign writes only here, and to the folder of --grow-corpus if that is set.

Examples
  fuserfuzz run --runs 20000 --seed 1 --jobs 2 --out out     the same cases every time
  fuserfuzz run --max-total-time 8h --jobs 8 --out out       one night, new cases every time
  fuserfuzz run --resume --out out                           continues
  fuserfuzz run --runs 1m --seed 7 --shard 1/8 --out part1   one of eight machines; see merge --help
  fuserfuzz run --runs 1000 --only sum,amax,add corpus       the files below corpus, then cases of these ops
  fuserfuzz run --runs 5000 --parents corpus/models --out out   half of them mutants of subgraphs of models
  fuserfuzz run --target=torch-compile --max-total-time 1h --out out   another compiler (fuzz/compilers/setup torch)
  fuserfuzz run --runs 300 --fault loop-one-short --out out   the findings of a planted bug

Exit codes
  0 clean, or known findings only   1 usage or set-up, nothing judged, a check that could not run   70 only timeouts
  71 only out of memory   72 interrupted, with findings or without   77 findings
)";
}

}  // namespace

Command addRunCommand(CLI::App& app) {
  constexpr const char *kLong = "How long", *kFolder = "What is kept";
  CLI::App* run = app.add_subcommand("run", "run a campaign: judge random cases and keep the findings");
  const auto arguments = std::make_shared<RunArguments>();
  CampaignOptions& campaign = arguments->campaign;
  run->add_option("corpora", arguments->corpora, "files and folders to judge first; they are only read")
      ->type_name("CORPUS");
  takesCount(run->add_option("--runs", campaign.runs, "number of cases: 20000, 20k, 1e6; 0: no limit"), 0)
      ->type_name("N")
      ->group(kLong);
  takesSeconds(run->add_option("--max-total-time", campaign.maxTotalTime,
                               "time limit: 90, 10m, 8h; includes the time before --resume; 0: no limit"),
               0)
      ->type_name("SECONDS")
      ->group(kLong);
  takesCount(run->add_option("--max-findings", campaign.maxFindings, "stop after this many new findings; 0: never"), 0)
      ->type_name("N")
      ->group(kLong)
      ->capture_default_str();
  run->add_option("--shard", arguments->shard,
                  "the K-th of N parts of the campaign with this --seed and these --runs: its own cases, files and "
                  "batches; fuserfuzz merge joins the parts")
      ->type_name("K/N")
      ->group(kLong);
  run->add_option("--out", arguments->out,
                  "folder for ledger, reports, log and findings; created if missing. Without it "
                  "nothing is written")
      ->type_name("DIR")
      ->group(kFolder);
  run->add_option(
         "--grow-corpus", arguments->growCorpus,
         "folder to which minimised findings are added, named by their content; created if missing. Without it "
         "nothing is written outside --out")
      ->type_name("DIR")
      ->group(kFolder);
  run->add_flag(
         "--resume", campaign.resume,
         "continue the campaign in --out, however it ended, with its own settings. Limits, jobs and duration may "
         "be changed; options that decide results must not differ")
      ->group(kFolder);
  takesCount(run->add_option("--max-artifact-mb", arguments->maxArtifactMb,
                             "disk space for the files of findings; beyond it they are in the ledger only"),
             0, 1 << 20)
      ->type_name("N")
      ->group(kFolder)
      ->capture_default_str();
  takesSeconds(run->add_option("--report-slow-units", campaign.task.slowSeconds,
                               "count cases that take this long, and keep the slowest ones; 0: none"),
               0, 1e6)
      ->type_name("SECONDS")
      ->group(kFolder)
      ->capture_default_str();
  run->add_flag("--no-minimize", arguments->noMinimize,
                "do not minimise findings at the end (up to twelve per symptom, a minute each)");
  run->add_option(
         "--known-issues", arguments->knownIssues,
         "list of findings that count as known, or a folder with fuser.json and one of each target, which is run "
         "first and says what no longer fails (default: corpus/known_issues, if it exists)")
      ->check(CLI::Validator(CLI::ExistingPath).description(""))
      ->type_name("PATH")
      ->group(kFolder);
  arguments->generator.addTo(run);
  arguments->generator.addParentsTo(run);
  arguments->generator.addFaultTo(run);
  arguments->workers.addTo(run);
  arguments->target.addTo(run);
  run->add_flag("--mixed-data", arguments->mixedData,
                "of a target with a profile (fuzz/compilers/profiles.def): the usual data and all ops that the profile "
                "covers, judged by sets where results are not exact");
  addNoProbes(run, arguments->noProbes);
  const std::map<std::string, HowOften> often = {
      {"never", HowOften::Never}, {"sampled", HowOften::Sampled}, {"always", HowOften::Always}};
  run->add_option("--second-looks", campaign.task.judge.secondLooks,
                  "how many runs without a finding are judged again, in f64, with each op by itself and in other "
                  "programs: never, sampled (cheap ones more often) or always")
      ->transform(CLI::CheckedTransformer(often).description(""))
      ->type_name("HOW")
      ->default_str("sampled");
  run->add_flag("--no-compilers", arguments->noCompilers,
                "do not run a sample of the cases on the cpu engine (clang) and the ptx engine (NVRTC)");
  CLI::Option* quiet = run->add_flag("--quiet,-q", arguments->quiet, "print only the last line");
  run->add_flag("--verbose,-v", arguments->verbose, "print all figures at the end instead of one line")
      ->excludes(quiet);
  run->add_flag("--json", arguments->json, "print report.json instead of the summary");
  run->footer(teaching());
  return {run, [run, arguments](const LogPtr& log) { return runCampaignCommand(*run, *arguments, log); }};
}

}  // namespace fuser::fuzz
