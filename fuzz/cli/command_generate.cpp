// fuserfuzz generate: one case of a seed, as text.

#include <cstdio>
#include <memory>

#include "fuser/text/printer.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"

namespace fuser::fuzz {

Command addGenerateCommand(CLI::App& app) {
  struct Arguments {
    GeneratorArguments generator;
    uint64_t caseNumber = 0;
  };
  CLI::App* generate = app.add_subcommand("generate", "print one case of a seed");
  const auto arguments = std::make_shared<Arguments>();
  arguments->generator.seed = 1;
  arguments->generator.addTo(generate);
  generate->add_option("--case", arguments->caseNumber, "its number")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  return {generate, [arguments] {
            GeneratorArguments& generator = arguments->generator;
            generator.resolve();
            const Case made = generateCase(generator.seed, arguments->caseNumber, generator.options);
            std::fputs(printCase(made).c_str(), stdout);
            return kExitClean;
          }};
}

}  // namespace fuser::fuzz
