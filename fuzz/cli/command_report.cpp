// fuserfuzz report: the reports of a campaign's folder, made again from its ledger.

#include <memory>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/ledger.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"

namespace fuser::fuzz {
namespace {

struct ReportArguments {
  std::string folder, out;
  bool json = false, verbose = false;
};

int makeReports(const ReportArguments& arguments) {
  const std::filesystem::path folder = arguments.folder;
  const std::filesystem::path out = arguments.out.empty() ? arguments.folder : arguments.out;
  checkHoldsCampaign(folder);
  if (!arguments.json) makeWritableFolder(out);
  const reports::CampaignSummary summary = summaryOf(folder, out);
  if (arguments.json) {
    printText(reports::toJson(summary));
    return kExitClean;
  }
  reports::writeReports(out, summary);
  if (arguments.verbose) printLine(reports::toText(summary));
  printLine(concat(reports::toLine(summary), "; ", (out / "report.html").string(), ", report.json, junit.xml"));
  return kExitClean;
}

}  // namespace

Command addReportCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("report", "write a campaign's reports again from its ledger");
  const auto arguments = std::make_shared<ReportArguments>();
  command->add_option("folder", arguments->folder, "folder of the campaign (run --out), which may be running")
      ->required()
      ->type_name("DIR");
  command->add_option("--out", arguments->out, "folder for the reports (default: the campaign's folder)")
      ->type_name("DIR");
  command->add_flag("--json", arguments->json, "print report.json; write no files");
  command->add_flag("--verbose,-v", arguments->verbose, "print all figures, not one line");
  command->footer(R"(
Examples
  fuserfuzz report out                    writes out/report.html, report.json and junit.xml from the ledger
  fuserfuzz report out --out elsewhere    writes them to another folder
  fuserfuzz report out --json             prints report.json, for other programs
)");
  return {command, [arguments](const LogPtr&) { return makeReports(*arguments); }};
}

}  // namespace fuser::fuzz
