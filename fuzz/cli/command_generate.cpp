// fuserfuzz generate: one case of a seed, as text.

#include <cstdio>
#include <map>
#include <memory>

#include "fuser/command_line/numbers.h"
#include "fuser/log/log.h"
#include "fuser/text/printer.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "fuzz/edges/at_an_edge.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

Command addGenerateCommand(CLI::App& app) {
  struct GenerateArguments {
    GeneratorArguments generator;
    uint64_t caseNumber = 0;
    std::string view;
    EngineKind engine = EngineKind::Interp;
  };
  CLI::App* generate = app.add_subcommand("generate", "print one case of a seed");
  const auto arguments = std::make_shared<GenerateArguments>();
  arguments->generator.seed = 1;
  arguments->generator.addTo(generate);
  arguments->generator.addParentsTo(generate);
  arguments->generator.addWorldTo(generate);
  arguments->generator.addFaultTo(generate);
  takesCount(generate->add_option("--case", arguments->caseNumber, "number of the case"), 0)
      ->type_name("N")
      ->capture_default_str();
  generate->add_option("--view", arguments->view, "print the case in this view (run --help lists the views)")
      ->type_name("NAME");
  const std::map<std::string, EngineKind> engines = {
      {"interp", EngineKind::Interp}, {"cpu", EngineKind::Cpu}, {"cuda", EngineKind::Cuda}, {"ptx", EngineKind::Ptx}};
  generate->add_option("--engine", arguments->engine, "engine option of the printed case: interp, cpu, cuda or ptx")
      ->transform(CLI::CheckedTransformer(engines).description(""))
      ->type_name("NAME");
  generate->footer(R"(
Examples
  fuserfuzz generate --seed 1 --case 17                        case 17 of seed 1, whatever ran before it
  fuserfuzz generate --seed 1 --case 17 --only sum,amax,add    a case of these ops
  fuserfuzz generate --case 17 --world depth=1                 case 17 of a small world; see enumerate --help
)");
  return {generate, [arguments](const LogPtr& log) {
            GeneratorArguments& generator = arguments->generator;
            generator.resolve();
            if (!generator.leftOut.empty()) logLine(log.get(), LogLevel::Warn, generator.leftOut);
            Case testCase = campaignCase(generator.seed, arguments->caseNumber, generator.options);
            if (!arguments->view.empty())
              testCase = viewOf(arguments->view, testCase, generator.seed, arguments->caseNumber);
            testCase.options.engine = arguments->engine;
            std::fputs(printCase(testCase).c_str(), stdout);
            return kExitClean;
          }};
}

}  // namespace fuser::fuzz
