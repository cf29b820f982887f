// fuserfuzz perf-check: two measurements of the benchmarks -> what became slower.

#include <memory>

#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "reports/performance.h"

namespace fuser::fuzz {
namespace {

struct PerfCheckArguments {
  std::string baseline, current;
  reports::PerformanceSettings settings;
  std::vector<std::string> renamed;
  bool failOnRegression = false;
};

int check(const PerfCheckArguments& arguments) {
  reports::PerformanceSettings settings = arguments.settings;
  for (const std::string& pair : arguments.renamed) {
    const size_t equals = pair.find('=');
    FUSER_USER_CHECK(equals != std::string::npos, "--renamed takes old=new, not '", pair, "'");
    settings.renamed[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  const auto read = [](const std::string& path) { return reports::parseMeasurement(readTextFile(path), path); };
  const reports::PerformanceCheck result =
      reports::checkPerformance(read(arguments.baseline), read(arguments.current), settings);
  printLine(reports::toText(result));
  if (!arguments.failOnRegression) return kExitClean;
  FUSER_USER_CHECK(result.missing.empty(), "the benchmark ", result.missing[0], " of ", arguments.baseline,
                   " is not in ", arguments.current,
                   ", so its speed was not checked; --renamed old=new names its new name");
  return reports::anySlow(result) ? kExitFinding : kExitClean;
}

}  // namespace

Command addPerfCheckCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("perf-check", "compare two measurements of the benchmarks");
  const auto arguments = std::make_shared<PerfCheckArguments>();
  command->add_option("baseline", arguments->baseline, "the earlier measurement, made by tests/bench/measure")
      ->required();
  command->add_option("current", arguments->current, "the later measurement")->required();
  command->add_option("--threshold", arguments->settings.threshold, "smallest relative change that counts")
      ->check(CLI::Range(0.001, 10.0))
      ->capture_default_str();
  command
      ->add_option("--renamed", arguments->renamed,
                   "old=new: the benchmark is called new in the later file; repeatable")
      ->allow_extra_args(false);
  command->add_flag("--fail-on-regression", arguments->failOnRegression, "exit with 77 if a benchmark is SLOW");
  command->footer(R"(
Examples
  fuserfuzz perf-check reports/baselines/stages.json now.json   what became slower (tests/bench/measure now.json)
  fuserfuzz perf-check old.json new.json --threshold 0.05 --fail-on-regression   for continuous integration
)");
  return {command, [arguments](const LogPtr&) { return check(*arguments); }};
}

}  // namespace fuser::fuzz
