// fuserfuzz run: a campaign.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"

namespace fuser::fuzz {
namespace {

struct Arguments {
  GeneratorArguments generator;
  WorkerArguments workers;
  CampaignOptions campaign;
  std::vector<std::string> corpora;
  std::string out;
  std::string knownIssues;
  int64_t maxArtifactMb = 256;
  bool noProbes = false, noCompilers = false;
};

// The list beside the repository's corpora, for who runs it from there.
constexpr const char* kKnownIssues = "corpus/known_issues.json";

std::vector<KnownIssue> knownIssues(const std::string& named) {
  if (!named.empty()) return readKnownIssues(named);
  return std::filesystem::exists(kKnownIssues) ? readKnownIssues(kKnownIssues) : std::vector<KnownIssue>{};
}

// One status block at the bottom of a terminal; plain lines everywhere else.
class Screen {
 public:
  Screen() {
    const char* terminal = std::getenv("TERM");
    if (isatty(STDOUT_FILENO) && terminal != nullptr && std::string(terminal) != "dumb") {
      const char* noColor = std::getenv("NO_COLOR");
      display_.emplace(stdout, noColor == nullptr || *noColor == '\0');
    }
  }
  void line(const std::string& text) { display_ ? display_->line(text) : printLine(text); }
  std::function<void(const Status&)> show() {
    if (!display_) return {};
    return [this](const Status& status) { display_->show(status); };
  }
 private:
  std::optional<StatusDisplay> display_;
};

int runCampaignCommand(Arguments& arguments) {
  // A campaign goes on with its own seed.
  if (arguments.campaign.resume && arguments.generator.seed == 0)
    arguments.generator.seed = seedOf(arguments.out).value_or(0);
  arguments.generator.resolve();
  CampaignOptions& campaign = arguments.campaign;
  campaign.seed = arguments.generator.seed;
  campaign.task.generator = arguments.generator.options;
  campaign.generatorFlags = arguments.generator.flags();
  campaign.task.judge.probes = !arguments.noProbes;
  campaign.compilers = !arguments.noCompilers;
  campaign.jobs = arguments.workers.jobs;
  campaign.limits = arguments.workers.limits;
  campaign.out = arguments.out;
  campaign.corpora.assign(arguments.corpora.begin(), arguments.corpora.end());
  campaign.maxArtifactBytes = arguments.maxArtifactMb << 20;
  campaign.knownIssues = knownIssues(arguments.knownIssues);
  watchInterrupts();
  Screen screen;
  campaign.show = screen.show();
  return exitCode(runCampaign(campaign, interrupted, [&](const std::string& line) { screen.line(line); }));
}

}  // namespace

Command addRunCommand(CLI::App& app) {
  CLI::App* run = app.add_subcommand("run", "a campaign: judge random cases, keep what is wrong");
  const auto arguments = std::make_shared<Arguments>();
  arguments->generator.addTo(run);
  arguments->workers.addTo(run);
  addNoProbes(run, arguments->noProbes);
  run->add_flag("--no-compilers", arguments->noCompilers,
                "no sample of the kernels through clang (cpu engine) and NVRTC");
  run->add_option("--runs", arguments->campaign.runs, "number of cases; 0: until the time is up")
      ->check(CLI::NonNegativeNumber);
  run->add_option("--max-total-time", arguments->campaign.maxTotalTime, "seconds; 0: until the cases are done")
      ->check(CLI::NonNegativeNumber);
  run->add_option("--out", arguments->out,
                  "folder for ledger, reports, campaign.log and findings; made where missing. Without it nothing is kept");
  run->add_flag("--resume", arguments->campaign.resume,
                "go on with the campaign in --out, however it ended: nothing finished is done again. Seed, runs and time "
                "are its own unless given; whatever else results depend on must be the same");
  run->add_option("--max-artifact-mb", arguments->maxArtifactMb,
                  "disk space for the files of findings; past it they are in the ledger alone")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  run->add_option("--known-issues", arguments->knownIssues,
                  "list of findings that count as known, not as new; corpus/known_issues.json where that is there")
      ->check(CLI::ExistingFile);
  run->add_option("--max-findings", arguments->campaign.maxFindings, "stop after so many; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  run->add_option("corpora", arguments->corpora, "files and folders to judge first");
  return {run, [arguments] { return runCampaignCommand(*arguments); }};
}

}  // namespace fuser::fuzz
