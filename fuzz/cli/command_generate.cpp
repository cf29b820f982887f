// fuserfuzz generate: one case of a seed, as text.

#include <cstdio>
#include <map>
#include <memory>

#include "fuser/text/printer.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
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
  generate->add_option("--case", arguments->caseNumber, "its number")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  generate
      ->add_option("--view", arguments->view, "the case in that view, where campaigns judge it so, too (run --help)")
      ->type_name("NAME");
  generate->add_option("--engine", arguments->engine, "that the text names")
      ->transform(CLI::CheckedTransformer(std::map<std::string, EngineKind>{
          {"interp", EngineKind::Interp}, {"cpu", EngineKind::Cpu}, {"cuda", EngineKind::Cuda}}));
  return {generate, [arguments](const LogPtr&) {
            GeneratorArguments& generator = arguments->generator;
            generator.resolve();
            Case made = generateCase(generator.seed, arguments->caseNumber, generator.options);
            if (!arguments->view.empty()) made = viewOf(arguments->view, made, generator.seed, arguments->caseNumber);
            made.options.engine = arguments->engine;
            std::fputs(printCase(made).c_str(), stdout);
            return kExitClean;
          }};
}

}  // namespace fuser::fuzz
