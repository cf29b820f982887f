// fuserfuzz report: the reports of a campaign's folder, made again from its ledger; or the history of many nights.

#include <memory>
#include <set>

#include "fuser/support/set_up_error.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/ledger.h"
#include "fuzz/campaign/night_in.h"
#include "fuzz/campaign/write_results.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "reports/figures.h"
#include "reports/history.h"

namespace fuser::fuzz {
namespace {

struct ReportArguments {
  std::string folder, out;
  std::vector<std::string> history;
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
  writeResults(out, summary);
  if (arguments.verbose) printLine(reports::toText(summary));
  printLine(concat(reports::toLine(summary), "; ", (out / "report.html").string(), ", report.json, junit.xml"));
  return kExitClean;
}

// A folder that is no night is named and left out, so that one failed night does not hide the others.
reports::History readNights(const std::vector<std::string>& folders, const std::filesystem::path& page) {
  std::vector<reports::Night> nights;
  std::vector<std::string> leftOut;
  std::set<std::filesystem::path> seen;
  for (const std::string& folder : folders) {
    if (!seen.insert(std::filesystem::weakly_canonical(folder)).second) continue;
    try {
      nights.push_back(nightIn(folder, page));
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      leftOut.emplace_back(error.what());
    }
  }
  FUSER_USER_CHECK(!nights.empty(), "there is no night to show: ", leftOut.front());
  return reports::historyOf(std::move(nights), std::move(leftOut));
}

int makeHistory(const ReportArguments& arguments) {
  const std::filesystem::path out = arguments.out.empty() ? "." : arguments.out;
  if (!arguments.json) makeWritableFolder(out);
  const reports::History history = readNights(arguments.history, out);
  if (arguments.json) {
    printText(toJson(history));
    return kExitClean;
  }
  reports::writeFile(out / "history.json", toJson(history));
  reports::writeFile(out / "history.html", toHtml(history));
  for (const std::string& folder : history.leftOut) printLine(concat("left out: ", folder));
  const std::vector<std::string> changes = namedChanges(history);
  for (const std::string& change : changes) printLine(change);
  printLine(concat(reports::plural(static_cast<int64_t>(history.nights.size()), "night", "nights"), ", ",
                   reports::plural(static_cast<int64_t>(changes.size()), "change", "changes"), " beyond noise; ",
                   (out / "history.html").string(), ", history.json"));
  return kExitClean;
}

int report(const ReportArguments& arguments) {
  FUSER_USER_CHECK(arguments.folder.empty() != arguments.history.empty(),
                   "report takes the folder of a campaign, or --history and the folders of many");
  return arguments.history.empty() ? makeReports(arguments) : makeHistory(arguments);
}

}  // namespace

Command addReportCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("report", "write a campaign's reports again from its ledger, or the history of nights");
  const auto arguments = std::make_shared<ReportArguments>();
  command->add_option("folder", arguments->folder, "folder of the campaign (run --out), which may be running")
      ->type_name("DIR");
  command
      ->add_option(
          "--history", arguments->history,
          "folders of campaigns: writes history.html and history.json, their figures night by night and what "
          "changed by more than noise; of files beside a campaign, selftest.json (selftest --out) and seeds.txt "
          "(fuser-opt corpus/seeds/*.fusion --print=cost) count")
      ->type_name("DIR ...");
  command
      ->add_option("--out", arguments->out,
                   "folder for the reports (default: the campaign's folder; with --history, this one)")
      ->type_name("DIR");
  command->add_flag("--json", arguments->json, "print report.json, or history.json; write no files");
  command->add_flag("--verbose,-v", arguments->verbose, "print all figures, not one line");
  command->footer(R"(
Examples
  fuserfuzz report out                    writes out/report.html, report.json, junit.xml and a page for each
                                          bucket from the ledger
  fuserfuzz report out --out elsewhere    writes them to another folder
  fuserfuzz report out --json             prints report.json, for other programs
  fuserfuzz report --history a b c        history.html and history.json: trends, buckets opened and closed, changes
  fuserfuzz report --history a b c --out elsewhere   in another folder
  fuserfuzz report --history a b c --json            prints history.json
)");
  return {command, [arguments](const LogPtr&) { return report(*arguments); }};
}

}  // namespace fuser::fuzz
