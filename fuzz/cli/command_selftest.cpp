// fuserfuzz selftest: does the harness catch what it is there for?

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "fuser/command_line/numbers.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/selftest.h"
#include "fuzz/campaign/target_faults.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "fuzz/worlds/world.h"

namespace fuser::fuzz {

Command addSelftestCommand(CLI::App& app) {
  struct SelftestArguments {
    SelftestOptions options;
    GeneratorArguments generator;
    WorkerArguments workers;
    TargetArguments target;
    std::string out;
    EngineKind engine = EngineKind::Interp;
    bool json = false, list = false;
  };
  CLI::App* command = app.add_subcommand("selftest", "plant known bugs one by one, and report which are caught");
  const auto arguments = std::make_shared<SelftestArguments>();
  arguments->generator.seed = 1;
  arguments->generator.addTo(command);
  arguments->generator.addWorldTo(command);
  arguments->workers.addTo(command);
  arguments->target.addTo(command);
  takesCount(
      command->add_option("--runs", arguments->options.runs,
                          "number of cases without a fault, and limit per fault; one in three runs on a random "
                          "schedule, one on another device"),
      1, uint64_t{1} << 32)
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--only-fault", arguments->options.onlyFaults, "plant only these faults, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  const std::map<std::string, EngineKind> engines = {
      {"interp", EngineKind::Interp}, {"cpu", EngineKind::Cpu}, {"ptx", EngineKind::Ptx}};
  command->add_option("--engine", arguments->engine, "the engine that runs the cases: interp, cpu or ptx")
      ->transform(CLI::CheckedTransformer(engines).description(""))
      ->type_name("NAME")
      ->default_str("interp");
  command->add_flag("--json", arguments->json, "print the result as JSON instead of a table");
  command->add_option("--out", arguments->out, "folder for selftest.json; created if missing");
  command->add_flag("--list", arguments->list, "print the faults and exit");
  command->footer(R"(
Examples
  fuserfuzz selftest --jobs 2                                plants known bugs, reports which are caught
  fuserfuzz selftest --only-fault dropped-predicate --json   one of them, the result for a program
  fuserfuzz selftest --engine ptx --only-fault loop-one-short   shown by what NVRTC makes, too?
  fuserfuzz selftest --world depth=2 --only-fault dropped-predicate    shown by small fusions?
  fuserfuzz selftest --target=onnx-reference                 faults of a stand-in for another compiler: it runs other programs

Exit codes
  0 each is caught   1 usage or set-up   72 interrupted   77 one is missed, or a case without a fault is a finding
)");
  return {command, [arguments](const LogPtr& log) {
            const bool onTarget = !arguments->target.target.empty();
            if (arguments->list) {
              for (const FaultInfo& fault : onTarget ? targetFaults() : allFaults()) {
                printLine(concat(fault.name, " (", faultStageName(fault.stage), "): ", fault.summary));
              }
              return kExitClean;
            }
            FUSER_USER_CHECK(!onTarget || arguments->engine == EngineKind::Interp,
                             "--engine is for our compiler, not for --target");
            if (onTarget) arguments->generator.drawExactly();
            arguments->generator.resolve();
            if (!arguments->out.empty()) makeWritableFolder(arguments->out);
            SelftestOptions& options = arguments->options;
            options.seed = arguments->generator.seed;
            options.generator = arguments->generator.options;
            if (const auto& world = options.generator.world) options.runs = std::min(options.runs, world->count());
            options.jobs = arguments->workers.jobs;
            arguments->target.resolve(options.judge, arguments->workers.limits, JudgingMode::Exact);
            options.limits = arguments->workers.limits;
            options.generatorFlags = arguments->generator.flags();
            options.engine = arguments->engine;
            if (options.engine != EngineKind::Interp) {
              options.generatorFlags.push_back("--engine");
              options.generatorFlags.push_back(options.engine == EngineKind::Ptx ? "ptx" : "cpu");
            }
            watchInterrupts();
            if (!arguments->json)
              printLine(concat("seed ", options.seed, ", ", options.runs,
                               " cases without a fault, and at most as many with each fault"));
            const bool showsProgress = isatty(STDERR_FILENO);
            const SelftestResult result = runSelftest(options, interrupted, [&](const std::string& line) {
              if (showsProgress) logLine(log.get(), LogLevel::Info, line);
            });
            arguments->json ? printText(toJson(result)) : printLine("\n" + toText(result));
            if (!arguments->out.empty())
              reports::writeFile(std::filesystem::path(arguments->out) / "selftest.json", toJson(result));
            if (result.interrupted) return kExitInterrupted;
            return result.clean() ? kExitClean : kExitFinding;
          }};
}

}  // namespace fuser::fuzz
