// fuserfuzz merge: campaigns that ran apart become one.

#include <memory>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/merge.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"

namespace fuser::fuzz {

Command addMergeCommand(CLI::App& app) {
  struct MergeArguments {
    std::vector<std::string> folders;
    std::string out;
    bool json = false, verbose = false;
  };
  CLI::App* command = app.add_subcommand("merge", "join campaigns that ran apart: the parts of one (run --shard)");
  const auto arguments = std::make_shared<MergeArguments>();
  command->add_option("folders", arguments->folders, "folders of campaigns (run --out), or of merged ones")
      ->required()
      ->type_name("DIR");
  command->add_option("--out", arguments->out, "folder for ledger, findings and reports; created if missing")
      ->required()
      ->type_name("DIR");
  command->add_flag("--json", arguments->json, "print report.json, not one line");
  command->add_flag("--verbose,-v", arguments->verbose, "print all figures, not one line");
  command->footer(R"(
Examples
  fuserfuzz merge a b --out both       of run --seed 7 --runs 1m --shard 1/3 --out a, and of --shard 2/3 --out b
  fuserfuzz merge c a b --out whole    in any order: the figures of a run of all cases, times aside

run --resume --out both runs what is missing. A campaign that still runs counts as far as it is.

Folders fit together if they have one seed, one version of the program, one list of corpora and the same options; else a
sentence says what differs. Tasks that a folder shares with another one count once if one of the two has all of them.
Each bucket keeps its smallest case.

Exit codes
  those of run: 0 clean   1 usage or set-up   70 only timeouts   71 only out of memory   72 some part was interrupted   77 findings
)");
  return {command, [arguments](const LogPtr&) {
            const std::vector<std::filesystem::path> folders(arguments->folders.begin(), arguments->folders.end());
            const reports::CampaignSummary summary = mergeCampaigns(folders, arguments->out);
            if (arguments->json) {
              printText(reports::toJson(summary));
            } else {
              if (arguments->verbose) printLine(reports::toText(summary));
              const std::filesystem::path report = std::filesystem::path(arguments->out) / "report.html";
              printLine(concat(reports::toLine(summary), "; ", report.string()));
            }
            return summary.exitCode;
          }};
}

}  // namespace fuser::fuzz
