// fuserfuzz run: a campaign.

#include <memory>

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
  bool noProbes = false, noCompilers = false;
};

int runCampaignCommand(Arguments& arguments) {
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
  watchInterrupts();
  return exitCode(runCampaign(campaign, interrupted, printLine));
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
  run->add_option("--out", arguments->out, "folder for report.json, campaign.log and findings; made where missing");
  run->add_option("--max-findings", arguments->campaign.maxFindings, "stop after so many; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  run->add_option("corpora", arguments->corpora, "files and folders to judge first");
  return {run, [arguments] { return runCampaignCommand(*arguments); }};
}

}  // namespace fuser::fuzz
