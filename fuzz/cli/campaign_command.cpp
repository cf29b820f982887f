#include "fuzz/cli/campaign_command.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "fuser/command_line/numbers.h"
#include "fuzz/campaign/artifacts.h"
#include "fuzz/campaign/campaign_folder.h"
#include "fuzz/cli/command.h"
#include "fuzz/cli/resume.h"
#include "fuzz/compilers/targets.h"
#include "fuzz/judge/bucket.h"

namespace fuser::fuzz {
namespace {

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
  settings.judge.allInvariants = true;
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

void printEnd(const CampaignArguments& arguments, const reports::CampaignSummary& summary) {
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
    printLine(
        concat("interrupted; to continue: fuserfuzz ", arguments.name, " --resume --out ", shellQuoted(arguments.out)));
  }
}

// A UserError for what is neither "off" nor a share.
double feedbackShare(const CampaignArguments& arguments) {
  if (arguments.feedback == "off") {
    FUSER_USER_CHECK(arguments.workingCorpus.empty(), "--working-corpus needs --feedback");
    return 0;
  }
  char* end = nullptr;
  const double share = std::strtod(arguments.feedback.c_str(), &end);
  FUSER_USER_CHECK(*end == '\0' && share > 0 && share <= 0.95,
                   "--feedback is off, or the share of mutants, above 0 and up to 0.95, not '", arguments.feedback,
                   "'");
  FUSER_USER_CHECK(!arguments.out.empty() || !arguments.workingCorpus.empty(),
                   "--feedback keeps cases in a folder: name one with --out or --working-corpus");
  const std::string& target = arguments.target.target;
  FUSER_USER_CHECK(target.empty() || targetNamed(target).tells == Tells::Decisions,
                   "--feedback goes by what a compiler decides, and ", target,
                   " does not tell it; these do: ", tellingTargets());
  return share;
}

}  // namespace

int runCampaignCommand(CLI::App& command, CampaignArguments& arguments, const LogPtr& log,
                       const std::function<void()>& resolveCases) {
  CampaignOptions& campaign = arguments.campaign;
  if (campaign.resume) {
    const std::string line = concat("fuserfuzz ", arguments.name, " --resume --out ") + shellQuoted(arguments.out);
    const auto kept = argumentsOf(arguments.out);
    // Who is ended before the first task leaves a lock, and no campaign: what its options were is not known.
    const bool isLost = !arguments.out.empty() && !hasBegun(arguments.out) && !holdsResults(arguments.out);
    FUSER_USER_CHECK(!isLost || command.get_option("--seed")->count() > 0, arguments.out,
                     " holds no campaign to resume; to begin one there, omit --resume, or type its options again, "
                     "--seed among them");
    if (kept) takeKeptArguments(command, *kept, line);
  }
  campaign.feedback = feedbackShare(arguments);
  arguments.target.resolve(campaign.task.judge, arguments.workers.limits,
                           arguments.mixedData ? JudgingMode::Mixed : JudgingMode::Exact);
  const bool onTarget = campaign.task.judge.target != nullptr;
  if (arguments.mixedData) arguments.generator.drawUnder(arguments.target.target, arguments.target.profile());
  if (onTarget && !arguments.mixedData) arguments.generator.drawExactly();
  if (!arguments.shard.empty()) campaign.shard = Shard::parse(arguments.shard);
  FUSER_USER_CHECK(campaign.shard.isWhole() || arguments.generator.seed != 0,
                   "--shard needs --seed: the parts of a campaign draw their cases from one stream");
  resolveCases();
  campaign.arguments = keptArguments(command);
  campaign.arguments["--seed"] = " " + std::to_string(arguments.generator.seed);
  campaign.seed = arguments.generator.seed;
  campaign.task.generator = arguments.generator.options;
  campaign.generatorFlags = arguments.generator.flags();
  campaign.program = runningProgram();
  campaign.task.judge.probes = !arguments.noProbes;
  campaign.task.allInvariantsOfFiles = !arguments.sampleInvariants;
  campaign.compilers = !arguments.noCompilers && !onTarget;  // clang and NVRTC compile our kernels
  if (onTarget) campaign.casesAtOnce = kCasesAtOnce;
  campaign.minimize = !arguments.noMinimize;
  campaign.jobs = arguments.workers.jobs;
  campaign.limits = arguments.workers.limits;
  constexpr double kMinimizeSecondsOnTarget = 300;  // a candidate may take a compiler's seconds
  if (onTarget) campaign.minimizeSeconds = kMinimizeSecondsOnTarget;
  campaign.out = arguments.out;
  campaign.workingCorpus = arguments.workingCorpus;
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

void CampaignArguments::addTo(CLI::App* command) {
  constexpr const char *kLong = "How long", *kFolder = "What is kept";
  command->add_option("corpora", corpora, "files and folders to judge first; they are only read")->type_name("CORPUS");
  takesCount(command->add_option("--runs", campaign.runs, "number of cases: 20000, 20k, 1e6; 0: no limit"), 0)
      ->type_name("N")
      ->group(kLong);
  takesSeconds(command->add_option("--max-total-time", campaign.maxTotalTime,
                                   "time limit: 90, 10m, 8h; includes the time before --resume; 0: no limit"),
               0)
      ->type_name("SECONDS")
      ->group(kLong);
  takesCount(command->add_option("--max-findings", campaign.maxFindings, "stop after this many new findings; 0: never"),
             0)
      ->type_name("N")
      ->group(kLong)
      ->capture_default_str();
  command
      ->add_option("--shard", shard,
                   "the K-th of N parts of the campaign with this --seed and these --runs: its own cases, files and "
                   "batches; fuserfuzz merge joins the parts")
      ->type_name("K/N")
      ->group(kLong);
  command
      ->add_option("--out", out,
                   "folder for ledger, reports, log and findings; created if missing. Without it "
                   "nothing is written")
      ->type_name("DIR")
      ->group(kFolder);
  command
      ->add_option(
          "--grow-corpus", growCorpus,
          "folder to which minimised findings are added, named by their content; created if missing. Without it "
          "nothing is written outside --out")
      ->type_name("DIR")
      ->group(kFolder);
  command
      ->add_flag(
          "--resume", campaign.resume,
          "continue the campaign in --out, however it ended, with its own settings. Limits, jobs and duration may "
          "be changed; options that decide results must not differ")
      ->group(kFolder);
  takesCount(command->add_option("--max-artifact-mb", maxArtifactMb,
                                 "disk space for the files of findings; beyond it they are in the ledger only"),
             0, 1 << 20)
      ->type_name("N")
      ->group(kFolder)
      ->capture_default_str();
  takesSeconds(command->add_option("--report-slow-units", campaign.task.slowSeconds,
                                   "count cases that take this long, and keep the slowest ones; 0: none"),
               0, 1e6)
      ->type_name("SECONDS")
      ->group(kFolder)
      ->capture_default_str();
  command->add_flag("--no-minimize", noMinimize,
                    "do not minimise findings at the end (up to twelve per symptom, a minute each)");
  command
      ->add_option(
          "--known-issues", knownIssues,
          "list of findings that count as known, or a folder with fuser.json and one of each target, which is run "
          "first and says what no longer fails (default: corpus/known_issues, if it exists)")
      ->check(CLI::Validator(CLI::ExistingPath).description(""))
      ->type_name("PATH")
      ->group(kFolder);
  workers.addTo(command);
  addNoProbes(command, noProbes);
  const std::map<std::string, HowOften> often = {
      {"never", HowOften::Never}, {"sampled", HowOften::Sampled}, {"always", HowOften::Always}};
  command
      ->add_option("--second-looks", campaign.task.judge.secondLooks,
                   "how many runs without a finding are judged again, in f64, with each op by itself and in other "
                   "programs: never, sampled (cheap ones more often) or always")
      ->transform(CLI::CheckedTransformer(often).description(""))
      ->type_name("HOW")
      ->default_str(std::string(howOftenName(campaign.task.judge.secondLooks)));
  command->add_flag("--no-compilers", noCompilers,
                    "do not run a sample of the cases on the cpu engine (clang) and the ptx engine (NVRTC)");
  CLI::Option* isQuiet = command->add_flag("--quiet,-q", quiet, "print only the last line");
  command->add_flag("--verbose,-v", verbose, "print all figures at the end instead of one line")->excludes(isQuiet);
  command->add_flag("--json", json, "print report.json instead of the summary");
}

}  // namespace fuser::fuzz
