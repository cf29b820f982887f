// fuserfuzz: generate, run, replay. Options as libFuzzer and OSS-Fuzz users know them.

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <random>

#include "fuser/text/printer.h"
#include "fuzz/campaign/campaign.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kExamples = R"(
Examples
  fuserfuzz run --runs 20000 --seed 1 --jobs 2 --out out    a campaign; out/report.json, out/campaign.log, findings
  fuserfuzz run --max-total-time 3600 --seed 0              an hour, another seed every time
  fuserfuzz run --runs 1000 --only sum,amax,add corpus      first the files below corpus, then cases of these ops
  fuserfuzz generate --seed 1 --case 17                     prints case 17 of seed 1, whatever ran before it
  fuserfuzz replay out/mismatch-….fusion                    the verdict, the worst elements, the first wrong op
  fuserfuzz replay corpus                                   all files below corpus

Exit codes
  0 clean   1 usage or set-up ("SETUP FAILURE: …")   70 only timeouts   71 only out of memory   72 interrupted   77 findings
)";

// The first Ctrl-C finishes the report, the second leaves at once.
volatile std::sig_atomic_t interrupts = 0;

void onInterrupt(int) {
  if (interrupts) _exit(kExitInterrupted);
  interrupts = 1;
}

// "add,sum" or "div:rounding_mode = trunc"; a mnemonic alone means all its rows.
std::set<OpKind> parseOps(const std::vector<std::string>& names) {
  std::set<OpKind> ops;
  for (const std::string& name : names) {
    bool found = false;
    for (OpKind op : kAllOps) {
      if (opInfo(op).mnemonic != name && opInfo(op).name != name) continue;
      ops.insert(op);
      found = true;
    }
    FUSER_USER_CHECK(found, "no op is called '", name, "'");
  }
  return ops;
}

struct Arguments {
  CampaignOptions campaign;
  std::vector<std::string> only, exclude;
  uint64_t seed = 1;
  uint64_t caseNumber = 0;
  std::vector<std::string> paths;
  std::string out;
  bool quiet = false;
  bool noProbes = false;
  bool noCompilers = false;

  void addGenerator(CLI::App* app) {
    GeneratorOptions& generator = campaign.task.generator;
    app->add_option("--seed", seed,
                    "of all cases; 0: a random one, printed first (default: 0 for run, 1 for generate)")
        ->check(CLI::NonNegativeNumber);
    app->add_option("--only", only, "draw these ops alone: mnemonics, comma between")->delimiter(',');
    app->add_option("--exclude", exclude, "never draw these ops")->delimiter(',');
    app->add_option("--median-elements", generator.medianElements, "of a case's main shape")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 30))
        ->capture_default_str();
    app->add_option("--max-elements", generator.maxElements, "of one tensor")
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 30))
        ->capture_default_str();
  }
  void addLimits(CLI::App* app) {
    app->add_option("--jobs,-j", campaign.jobs, "worker processes")->check(CLI::Range(1, 1024))->capture_default_str();
    app->add_option("--timeout", campaign.limits.seconds, "seconds for one case")
        ->check(CLI::Range(0.01, 1e6))
        ->capture_default_str();
    app->add_option("--rss-limit-mb", campaign.limits.residentMb, "resident size of a worker")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app->add_flag("--no-compilers", noCompilers, "no sample of the kernels through clang (cpu engine) and NVRTC");
    app->add_flag("--no-probes", noProbes, "do not run undecided cases again with every op judged alone");
  }
  // What makes `generate` print the same cases.
  std::string generatorFlags() const {
    const GeneratorOptions given = campaign.task.generator, usual;
    std::string flags;
    const auto list = [&](const char* flag, const std::vector<std::string>& names) {
      for (size_t i = 0; i < names.size(); ++i) flags += (i == 0 ? concat(" ", flag, " ") : ",") + names[i];
    };
    list("--only", only);
    list("--exclude", exclude);
    if (given.medianElements != usual.medianElements) flags += concat(" --median-elements ", given.medianElements);
    if (given.maxElements != usual.maxElements) flags += concat(" --max-elements ", given.maxElements);
    return flags;
  }
  void resolve() {
    campaign.task.generator.only = parseOps(only);
    campaign.task.generator.exclude = parseOps(exclude);
    const std::set<OpKind>& alone = campaign.task.generator.only;
    const std::set<OpKind>& never = campaign.task.generator.exclude;
    FUSER_USER_CHECK(alone.empty() || !std::includes(never.begin(), never.end(), alone.begin(), alone.end()),
                     "--exclude takes away every op that --only leaves");
    campaign.task.judge.probes = !noProbes;
    GeneratorOptions& generator = campaign.task.generator;
    campaign.generatorFlags = generatorFlags();
    // Room for some tensors of the largest size.
    generator.maxCaseElements = std::max(generator.maxCaseElements, 8 * generator.maxElements);
    campaign.compilers = !noCompilers;
    campaign.out = out;
    campaign.corpora.assign(paths.begin(), paths.end());
    campaign.seed = seed != 0 ? seed : std::random_device{}() | 1u;
  }
};

int commandRun(Arguments& arguments) {
  arguments.resolve();
  std::signal(SIGINT, onInterrupt);
  std::signal(SIGTERM, onInterrupt);
  const reports::CampaignSummary summary = runCampaign(
      arguments.campaign, [] { return interrupts != 0; },
      [](const std::string& line) {
        std::puts(line.c_str());
        std::fflush(stdout);
      });
  return exitCode(summary);
}

int commandGenerate(Arguments& arguments) {
  arguments.resolve();
  const CampaignOptions& campaign = arguments.campaign;
  const Case made = generateCase(campaign.seed, arguments.caseNumber, campaign.task.generator);
  std::fputs(printCase(made).c_str(), stdout);
  return kExitClean;
}

int commandReplay(Arguments& arguments) {
  arguments.resolve();
  ReplayOptions options;
  options.jobs = arguments.campaign.jobs;
  options.limits = arguments.campaign.limits;
  options.judge = arguments.campaign.task.judge;
  options.verbose = !arguments.quiet;
  return replay(arguments.campaign.corpora, options, [](const std::string& line) { std::puts(line.c_str()); });
}

int commandLine(int argc, char** argv) {
  CLI::App app("Random fusions through the fuser, each output element judged against LibTorch.");
  app.footer(kExamples);
  app.require_subcommand(1);
  Arguments arguments;

  CLI::App* run = app.add_subcommand("run", "a campaign: judge random cases, keep what is wrong");
  arguments.addGenerator(run);
  arguments.addLimits(run);
  run->add_option("--runs", arguments.campaign.runs, "number of cases; 0: until the time is up")
      ->check(CLI::NonNegativeNumber);
  run->add_option("--max-total-time", arguments.campaign.maxTotalTime, "seconds; 0: until the cases are done")
      ->check(CLI::NonNegativeNumber);
  run->add_option("--out", arguments.out, "folder for report.json, campaign.log and findings; made where missing");
  run->add_option("--max-findings", arguments.campaign.maxFindings, "stop after so many; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  run->add_option("corpora", arguments.paths, "files and folders to judge first");

  CLI::App* generate = app.add_subcommand("generate", "print one case of a seed");
  arguments.addGenerator(generate);
  generate->add_option("--case", arguments.caseNumber, "its number")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();

  CLI::App* replayCommand = app.add_subcommand("replay", "judge .fusion files");
  arguments.addLimits(replayCommand);
  replayCommand->add_option("paths", arguments.paths, "files and folders")->required();
  replayCommand->add_flag("--quiet,-q", arguments.quiet, "one line a file, and what is wrong");

  for (CLI::App* command : {run, generate, replayCommand}) command->footer(kExamples);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitClean : kExitSetup;
  }
  if (run->count("--seed") == 0 && *run) arguments.seed = 0;
  try {
    if (*run) return commandRun(arguments);
    if (*generate) return commandGenerate(arguments);
    return commandReplay(arguments);
  } catch (const UserError& error) {
    std::fprintf(stderr, "SETUP FAILURE: %s\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "SETUP FAILURE: fuserfuzz itself broke: %s\n", error.what());
  }
  return kExitSetup;
}

}  // namespace
}  // namespace fuser::fuzz

int main(int argc, char** argv) { return fuser::fuzz::commandLine(argc, argv); }
