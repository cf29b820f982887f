// fuserfuzz replay: the verdict of each file.

#include <iostream>
#include <memory>

#include "fuser/text/read_file.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"

namespace fuser::fuzz {

Command addReplayCommand(CLI::App& app) {
  struct ReplayArguments {
    WorkerArguments workers;
    TargetArguments target;
    std::vector<std::string> paths;
    std::string sequence;
    bool quiet = false, noProbes = false, json = false;
  };
  CLI::App* replayCommand = app.add_subcommand("replay", "judge .fusion files");
  const auto arguments = std::make_shared<ReplayArguments>();
  arguments->workers.addTo(replayCommand);
  arguments->target.addTo(replayCommand);
  addNoProbes(replayCommand, arguments->noProbes);
  CLI::Option* paths =
      replayCommand->add_option("paths", arguments->paths, "files and folders, or - for a case on standard input")
          ->type_name("PATH");
  replayCommand
      ->add_option("--sequence", arguments->sequence,
                   "a campaign's .sequence file: runs its cases in order in one process; the last one's verdict counts")
      ->type_name("FILE")
      ->excludes(paths);
  replayCommand->add_flag("--quiet,-q", arguments->quiet, "print one line per file");
  replayCommand->add_flag("--json", arguments->json,
                          "print one line of JSON per file: file, kind, failed, seconds, verdict");
  replayCommand->footer(R"(
Examples
  fuserfuzz replay out/mismatch-….fusion                       the verdict, the worst elements, the first wrong op
  fuserfuzz replay corpus --jobs 2 --quiet                     all files below corpus
  fuserfuzz replay --target=torch-compile out/mismatch-….fusion   the same on another compiler
  fuserfuzz generate --seed 1 --case 17 | fuserfuzz replay -   a case from standard input

Exit codes
  0 each file as it expects, or without a finding   1 usage or set-up, a file that does not parse
  70 only timeouts   71 only out of memory   77 other findings
)");
  return {replayCommand, [arguments](const LogPtr& log) {
            ReplayOptions options;
            arguments->target.resolve(options.judge, arguments->workers.limits);
            options.jobs = arguments->workers.jobs;
            options.limits = arguments->workers.limits;
            options.judge.probes = !arguments->noProbes;
            options.judge.secondLooks = HowOften::Always;
            options.judge.allInvariants = true;
            options.verbose = !arguments->quiet;
            options.json = arguments->json;
            options.log = log;
            if (!arguments->sequence.empty()) return replaySequence(arguments->sequence, options, printLine);
            if (arguments->paths == std::vector<std::string>{"-"}) {
              return replayText("<stdin>", readFusionText(std::cin), options, printLine);
            }
            return replay({arguments->paths.begin(), arguments->paths.end()}, options, printLine);
          }};
}

}  // namespace fuser::fuzz
