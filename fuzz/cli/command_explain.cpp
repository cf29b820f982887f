// fuserfuzz explain: a case step by step, and its verdict.

#include <iostream>
#include <memory>

#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "fuzz/isolate/short_stack.h"
#include "fuzz/judge/explain_case.h"

namespace fuser::fuzz {

Command addExplainCommand(CLI::App& app) {
  struct ExplainArguments {
    WorkerArguments workers;
    std::string path;
  };
  CLI::App* command =
      app.add_subcommand("explain", "what the compiler does to a case, step by step, and what is wrong");
  const auto arguments = std::make_shared<ExplainArguments>();
  arguments->workers.addTo(command);
  command->add_option("path", arguments->path, "a .fusion file, or - for a case on standard input")
      ->required()
      ->type_name("FILE");
  command->footer(R"(
Prints the program, what each pass changes in it (- before, + after), of each segment its scheduler and why its neighbours
are not merged with it, the values that segments read with their bytes, the schedules; and last the verdict: the worst
elements, and where the first wrong value arises. The sizes are those of the first run; a planted fault is planted.

Examples
  fuserfuzz explain corpus/seeds/softmax.fusion
  fuserfuzz generate --seed 1 --case 17 | fuserfuzz explain -

Exit codes
  those of replay: 0 no finding   1 usage or set-up, no case   70 a timeout   71 out of memory   77 a finding
)");
  return {command, [arguments](const LogPtr& log) {
            const bool isStdin = arguments->path == "-";
            const std::string name = isStdin ? "<stdin>" : arguments->path;
            const std::string text = isStdin ? readFusionText(std::cin) : readFusionFile(arguments->path);
            parseCase(text, name);  // an error of the file is said here
            const Outcome outcome = runAlone("explain", arguments->workers.limits,
                                             [&](const std::string&) { return explainCase(parseCase(text, name)); });
            printText(outcome.ending == Ending::Finished
                          ? outcome.reply
                          : concat("== the compiler ends here\n", shortStack(outcome.detail), "\n"));
            printText("\n== verdict\n");
            ReplayOptions options;
            options.limits = arguments->workers.limits;
            options.judge.secondLooks = HowOften::Always;
            options.judge.allInvariants = true;
            options.log = log;
            return replayText(name, text, options, printLine);
          }};
}

}  // namespace fuser::fuzz
