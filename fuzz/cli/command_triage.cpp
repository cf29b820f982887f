// fuserfuzz triage: findings of earlier nights, moved by what they do today.

#include <memory>

#include "fuzz/campaign/triage.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kStages = R"(
Folders in DIR
  (DIR itself)   new files, from a campaign or from you; a case that never failed stays here
  crashing/      fails
  incubating/    failed once, does not fail now
  regression/    did not fail in three calls in a row; a failure moves it back to crashing/

Examples
  fuserfuzz triage findings --dry-run    replays a folder of findings
  fuserfuzz triage findings              and moves each file

Exit codes
  0 nothing fails   1 usage or set-up   77 something fails
)";

int runTriage(const std::string& folder, const ReplayOptions& options, bool dryRun) {
  const std::vector<Triaged> all = triage(folder, options, dryRun);
  if (all.empty()) printLine(concat("no .fusion file in ", folder, ", nor in its folders of findings"));
  int failing = 0;
  for (const Triaged& entry : all) {
    const std::string from = stageFolder(entry.from), to = stageFolder(entry.to);
    std::string line = concat(entry.fails ? "FAILS  " : "clean  ", from.empty() ? "new" : from);
    if (from != to) line += concat(" -> ", to);
    if (entry.movedTo != entry.name) line += concat(" as ", entry.movedTo);
    if (entry.to == Stage::Incubating) line += concat(" (", entry.cleanReplays, " of ", kCleanReplays, " clean)");
    printLine(concat(line, "  ", entry.name, "  ", entry.verdict));
    failing += entry.fails;
  }
  printLine(concat(failing, " fail", dryRun ? "; nothing was moved" : ""));
  return failing == 0 ? kExitClean : kExitFinding;
}

}  // namespace

Command addTriageCommand(CLI::App& app) {
  struct TriageArguments {
    WorkerArguments workers;
    std::string folder;
    bool dryRun = false;
  };
  CLI::App* command = app.add_subcommand("triage", "replay a folder of findings, and sort them by the result");
  const auto arguments = std::make_shared<TriageArguments>();
  arguments->workers.addTo(command);
  command->add_option("folder", arguments->folder, "folder of findings")->type_name("DIR")->required();
  command->add_flag("--dry-run", arguments->dryRun, "print the moves without making them");
  command->footer(kStages);
  return {command, [arguments](const LogPtr& log) {
            ReplayOptions options;
            options.jobs = arguments->workers.jobs;
            options.limits = arguments->workers.limits;
            options.log = log;
            return runTriage(arguments->folder, options, arguments->dryRun);
          }};
}

}  // namespace fuser::fuzz
