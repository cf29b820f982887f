// fuserfuzz time: how long a GPU takes for cases, by its own clock, beside what their kernels execute.

#include <filesystem>
#include <memory>

#include "fuser/execute/cuda_engine.h"
#include "fuser/runtime/case_times.h"
#include "fuser/support/rejection.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/files.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "reports/campaign_summary.h"
#include "reports/times_table.h"

namespace fuser::fuzz {
namespace {

struct TimeArguments {
  std::vector<std::string> paths;
  std::string device = "h200", out, json;
  int64_t repetitions = 20;
};

reports::TimedProgram toProgram(const std::string& name, const CaseTimes& times, double copyBytesPerSecond) {
  reports::TimedProgram program{name, times.run, {}, times.microseconds};
  for (const TimedKernel& kernel : times.kernels) {
    const KernelEstimate& estimate = kernel.estimate;
    reports::TimedKernel& row = program.kernels.emplace_back();
    row.name = estimate.name;
    row.launches = estimate.launches;
    row.warpInstructions = estimate.counts.warpInstructions;
    row.divergentBranches = estimate.counts.divergentBranches;
    row.sharedWavefronts = estimate.counts.sharedWavefronts;
    row.flops = estimate.counts.flops;
    row.memoryBytes = estimate.memoryBytes;
    row.estimatedMicroseconds = estimate.bound.microseconds;
    row.bound = estimate.bound.part;
    row.microseconds = kernel.microseconds;
    row.shareOfCopy = shareOfCopy(kernel, copyBytesPerSecond);
  }
  return program;
}

int timeCommand(const TimeArguments& arguments) {
  const NamedDevice& device = deviceOfName(arguments.device);
  for (const std::string& file : {arguments.out, arguments.json}) {
    if (!file.empty()) checkWritableFile(file);
  }
  const auto driver = std::make_shared<const CudaDriver>();
  const auto times = std::make_shared<CudaTimes>(driver, static_cast<size_t>(arguments.repetitions));
  const std::shared_ptr<Engine> engine = makeCudaEngine(driver, times);
  reports::TimesTable table{CudaTimes::kCopyBytes, times->copyBytesPerSecond(), times->microsecondsOfNothing(), {}, {}};
  bool isAlive = true;  // after a fault of a kernel, the GPU's context fails every later one
  for (const std::filesystem::path& file : fusionFiles({arguments.paths.begin(), arguments.paths.end()})) {
    const std::string name = file.stem().string();
    try {
      FUSER_USER_CHECK(isAlive, "a kernel before it had a fault");
      const CaseTimes timed = timesOf(parseCase(readFusionFile(file), file), device, engine, *times);
      table.programs.push_back(toProgram(name, timed, table.copyBytesPerSecond));
    } catch (const std::exception& error) {  // what was timed is not lost
      isAlive = isAlive && dynamic_cast<const ViolationError*>(&error) == nullptr;
      table.leftOut.push_back(concat(name, ": ", error.what()));
    }
  }
  FUSER_USER_CHECK(!table.programs.empty(), "there is no program to time",
                   table.leftOut.empty() ? std::string() : concat("; ", table.leftOut.front()));
  const std::string text = toMarkdown(table);
  printLine(text);
  if (!arguments.out.empty()) reports::writeFile(arguments.out, text);
  if (!arguments.json.empty()) reports::writeFile(arguments.json, toJson(table));
  return kExitClean;
}

}  // namespace

Command addTimeCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("time", "time the kernels of cases on a GPU, beside what they execute");
  const auto arguments = std::make_shared<TimeArguments>();
  command->add_option("paths", arguments->paths, "files or folders of cases; of each the run with most elements counts")
      ->required()
      ->type_name("PATH ...");
  command
      ->add_option("--device", arguments->device,
                   "h200, a100, rtx4090 or tiny: for which kernels are compiled, and whose rates estimate; they run on "
                   "this machine's first GPU")
      ->type_name("NAME")
      ->capture_default_str();
  takesCount(command->add_option("--repetitions", arguments->repetitions, "of each launch; the median counts"), 1,
             100000)
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--out", arguments->out, "write the table to this file, too (Markdown)")->type_name("FILE");
  command->add_option("--json", arguments->json, "write each program's time to this file")->type_name("FILE");
  command->footer(R"(
On a machine with an NVIDIA GPU. tests/gpu/run times corpus/seeds with it, and eager PyTorch and torch.compile beside it.
Without a GPU, `fuserfuzz estimate` says what one would do.
)");
  return {command, [arguments](const LogPtr&) { return timeCommand(*arguments); }};
}

}  // namespace fuser::fuzz
