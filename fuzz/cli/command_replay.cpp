// fuserfuzz replay: the verdict of each file.

#include <memory>

#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"

namespace fuser::fuzz {

Command addReplayCommand(CLI::App& app) {
  struct Arguments {
    WorkerArguments workers;
    std::vector<std::string> paths;
    bool quiet = false, noProbes = false;
  };
  CLI::App* replayCommand = app.add_subcommand("replay", "judge .fusion files");
  const auto arguments = std::make_shared<Arguments>();
  arguments->workers.addTo(replayCommand);
  addNoProbes(replayCommand, arguments->noProbes);
  replayCommand->add_option("paths", arguments->paths, "files and folders")->required();
  replayCommand->add_flag("--quiet,-q", arguments->quiet, "one line a file, and what is wrong");
  return {replayCommand, [arguments] {
            ReplayOptions options;
            options.jobs = arguments->workers.jobs;
            options.limits = arguments->workers.limits;
            options.judge.probes = !arguments->noProbes;
            options.verbose = !arguments->quiet;
            return replay({arguments->paths.begin(), arguments->paths.end()}, options, printLine);
          }};
}

}  // namespace fuser::fuzz
