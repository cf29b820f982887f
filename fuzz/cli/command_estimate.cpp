// fuserfuzz estimate: what a GPU would do with cases, as a page.

#include <filesystem>
#include <memory>

#include "fuser/runtime/case_estimate.h"
#include "fuser/support/rejection.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/files.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "reports/campaign_summary.h"
#include "reports/estimate_page.h"
#include "reports/figures.h"

namespace fuser::fuzz {
namespace {

struct EstimateArguments {
  std::vector<std::string> paths;
  std::string device = "h200", out = "estimate.html";
};

reports::EstimatedKernel toRow(const std::string& program, const KernelEstimate& kernel) {
  reports::EstimatedKernel row;
  row.program = program;
  row.name = kernel.name;
  row.launches = kernel.launches;
  row.registers = kernel.registers;
  row.spilledBytes = kernel.spilledBytes;
  row.occupancy = kernel.occupancy;
  row.memoryBytes = kernel.memoryBytes;
  row.requestedBytes = kernel.requestedBytes;
  row.flops = kernel.counts.flops;
  row.microseconds = kernel.bound.microseconds;
  for (const PartTime& part : kernel.parts) {
    if (part.part == "memory") row.memoryMicroseconds = part.microseconds;
  }
  row.bound = kernel.bound.part;
  row.line = kernel.line;
  row.lineShare = kernel.lineShare;
  return row;
}

int estimateCommand(const EstimateArguments& arguments) {
  const NamedDevice& device = deviceOfName(arguments.device);
  checkWritableFile(arguments.out);
  reports::EstimatePage page;
  page.device = device.name;
  page.source = ratesOf(device).source;
  double microseconds = 0;
  for (const std::filesystem::path& file : fusionFiles({arguments.paths.begin(), arguments.paths.end()})) {
    const std::string name = file.stem().string();
    try {
      const CaseEstimate estimate = estimateOf(parseCase(readFusionFile(file), file), device);
      ++page.programs;
      microseconds += estimate.microseconds;
      for (const KernelEstimate& kernel : estimate.kernels) page.kernels.push_back(toRow(name, kernel));
    } catch (const UserError& error) {  // nothing of it runs, or it is not for this device
      rethrowIfSetUpError(error);
      page.leftOut.push_back(concat(name, ": ", error.what()));
    }
  }
  FUSER_USER_CHECK(page.programs > 0, "there is no program to estimate",
                   page.leftOut.empty() ? std::string() : concat("; ", page.leftOut.front()));
  reports::writeFile(arguments.out, toHtml(page));
  printLine(concat(reports::plural(page.programs, "program", "programs"), ", ",
                   reports::plural(static_cast<int64_t>(page.kernels.size()), "kernel", "kernels"), ": ",
                   reports::fixed(microseconds, 1), " us on ", device.name, ", estimated; ", page.leftOut.size(),
                   " left out; ", arguments.out));
  return kExitClean;
}

}  // namespace

Command addEstimateCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("estimate", "write a page of what a GPU would do with cases; needs none");
  const auto arguments = std::make_shared<EstimateArguments>();
  command->add_option("paths", arguments->paths, "files or folders of cases; of each the run with most elements counts")
      ->required()
      ->type_name("PATH ...");
  command->add_option("--device", arguments->device, "h200, a100, rtx4090 or tiny")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--out", arguments->out, "the page")->type_name("FILE")->capture_default_str();
  command->footer(R"(
Examples
  fuserfuzz estimate corpus/seeds                               writes estimate.html: the heaviest kernels, the worst ratios
  fuserfuzz estimate softmax.fusion --device a100 --out a.html  for another device
  fuser-opt softmax.fusion --print=estimate                     one program, as text
)");
  return {command, [arguments](const LogPtr&) { return estimateCommand(*arguments); }};
}

}  // namespace fuser::fuzz
