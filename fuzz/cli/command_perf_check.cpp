// fuserfuzz perf-check: two measurements of the benchmarks -> what became slower; two cost tables -> what costs more.

#include <memory>

#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "reports/cost_tables.h"
#include "reports/performance.h"

namespace fuser::fuzz {
namespace {

struct PerfCheckArguments {
  std::string baseline, current;
  reports::PerformanceSettings settings;
  std::vector<std::string> renamed;
  std::vector<std::string> costs;  // the earlier table and the later one; or none
  bool failOnRegression = false;
};

int checkCosts(const PerfCheckArguments& arguments) {
  const auto read = [](const std::string& path) { return reports::parseCostTable(readTextFile(path), path); };
  const reports::CostCheck result = reports::compareCosts(read(arguments.costs.at(0)), read(arguments.costs.at(1)));
  printLine(reports::toText(result));
  if (!arguments.failOnRegression) return kExitClean;
  FUSER_USER_CHECK(result.missingPrograms.empty(), "costs were not compared: ", result.missingPrograms[0]);
  return reports::anyTotalGrew(result) ? kExitFinding : kExitClean;
}

int checkTimes(const PerfCheckArguments& arguments) {
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

int check(const PerfCheckArguments& arguments) {
  FUSER_USER_CHECK(arguments.baseline.empty() == arguments.current.empty() &&
                       !(arguments.baseline.empty() && arguments.costs.empty()),
                   "perf-check takes two measurements, or --costs and two cost tables, or both");
  const int times = arguments.baseline.empty() ? kExitClean : checkTimes(arguments);
  const int costs = arguments.costs.empty() ? kExitClean : checkCosts(arguments);
  return times == kExitClean ? costs : times;
}

Command addPerfCheckCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("perf-check", "compare two measurements of the benchmarks, or two cost tables");
  const auto arguments = std::make_shared<PerfCheckArguments>();
  command->add_option("baseline", arguments->baseline, "the earlier measurement, made by tests/bench/measure");
  command->add_option("current", arguments->current, "the later measurement");
  command
      ->add_option("--costs", arguments->costs,
                   "two cost tables, the earlier and the later one, made by fuser-opt FILE… --print=cost: prints every "
                   "count of a kernel, or of a program's total, that is another one")
      ->expected(2)
      ->type_name("OLD NEW");
  command->add_option("--threshold", arguments->settings.threshold, "smallest relative change that counts")
      ->check(CLI::Range(0.001, 10.0))
      ->capture_default_str();
  command
      ->add_option("--renamed", arguments->renamed,
                   "old=new: the benchmark is called new in the later file; repeatable")
      ->allow_extra_args(false);
  command->add_flag(
      "--fail-on-regression", arguments->failOnRegression,
      "exit with 77 if a benchmark is SLOW, or sectors, bank conflicts, barriers or launches of a program MORE");
  command->footer(R"(
Examples
  fuserfuzz perf-check reports/baselines/stages.json now.json   what became slower (tests/bench/measure now.json)
  fuserfuzz perf-check old.json new.json --threshold 0.05 --fail-on-regression   for continuous integration
  fuserfuzz perf-check --costs old.txt new.txt                    what kernels cost (fuser-opt corpus/seeds/*.fusion --print=cost)
)");
  return {command, [arguments](const LogPtr&) { return check(*arguments); }};
}

}  // namespace fuser::fuzz
