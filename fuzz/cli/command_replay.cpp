// fuserfuzz replay: the verdict of each file.

#include <memory>

#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"

namespace fuser::fuzz {

Command addReplayCommand(CLI::App& app) {
  struct ReplayArguments {
    WorkerArguments workers;
    std::vector<std::string> paths;
    std::string sequence;
    bool quiet = false, noProbes = false;
  };
  CLI::App* replayCommand = app.add_subcommand("replay", "judge .fusion files");
  const auto arguments = std::make_shared<ReplayArguments>();
  arguments->workers.addTo(replayCommand);
  addNoProbes(replayCommand, arguments->noProbes);
  CLI::Option* paths = replayCommand->add_option("paths", arguments->paths, "files and folders");
  replayCommand
      ->add_option("--sequence", arguments->sequence,
                   "a .sequence file of a campaign: its cases one after the other in one process; the last one counts")
      ->excludes(paths);
  replayCommand->add_flag("--quiet,-q", arguments->quiet, "one line a file, and what is wrong");
  return {replayCommand, [arguments](const LogPtr& log) {
            ReplayOptions options;
            options.jobs = arguments->workers.jobs;
            options.limits = arguments->workers.limits;
            options.judge.probes = !arguments->noProbes;
            options.verbose = !arguments->quiet;
            options.log = log;
            if (!arguments->sequence.empty()) return replaySequence(arguments->sequence, options, printLine);
            return replay({arguments->paths.begin(), arguments->paths.end()}, options, printLine);
          }};
}

}  // namespace fuser::fuzz
