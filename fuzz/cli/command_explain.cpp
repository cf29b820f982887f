// fuserfuzz explain: a case step by step, and its verdict, as text or as a page.

#include <iostream>
#include <memory>

#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/explain_alone.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"

namespace fuser::fuzz {
namespace {

struct ExplainArguments {
  WorkerArguments workers;
  std::string path, page;
};

int explain(const ExplainArguments& arguments, const LogPtr& log) {
  const bool isStdin = arguments.path == "-";
  const std::string name = isStdin ? "<stdin>" : arguments.path;
  const std::string text = isStdin ? readFusionText(std::cin) : readFusionFile(arguments.path);
  parseCase(text, name);  // an error of the file is said here
  if (!arguments.page.empty()) checkWritableFile(arguments.page);
  ReplayOptions options;
  options.limits = arguments.workers.limits;
  options.judge.secondLooks = HowOften::Always;
  options.judge.allInvariants = true;
  options.log = log;
  const JudgedText judged = judgeText(text, options);
  reports::ExplainedCase explained = explainAlone(name, text, judged.verdict.wrongValue, arguments.workers.limits);
  explained.verdict = judged.told;
  if (arguments.page.empty()) {
    printText(reports::toText(explained));
  } else {
    reports::writeFile(arguments.page, reports::toHtml(explained));
    printLine(concat(explained.verdict.word, "  ", explained.verdict.line, "; ", arguments.page));
  }
  return judged.exitCode;
}

}  // namespace

Command addExplainCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("explain", "what the compiler does to a case, step by step, and what is wrong");
  const auto arguments = std::make_shared<ExplainArguments>();
  arguments->workers.addTo(command);
  command->add_option("path", arguments->path, "a .fusion file, or - for a case on standard input")
      ->required()
      ->type_name("FILE");
  command->add_option("--html", arguments->page, "write a page with the same steps, and print the verdict alone")
      ->type_name("FILE");
  command->footer(R"(
Prints the program, what each pass changes in it (- before, + after), of each segment its scheduler and why its neighbours
are not merged with it, the values that segments read with their bytes, the schedules; and last the verdict: the worst
elements, and where the first wrong value arises. The sizes are those of the first run; a planted fault is planted. The
page has the whole program beside each change, and draws the segments with the bytes on their edges.

Examples
  fuserfuzz explain corpus/seeds/softmax.fusion
  fuserfuzz explain corpus/seeds/softmax.fusion --html softmax.html
  fuserfuzz generate --seed 1 --case 17 | fuserfuzz explain -

Exit codes
  those of replay: 0 no finding   1 usage or set-up, no case   70 a timeout   71 out of memory   77 a finding
)");
  return {command, [arguments](const LogPtr& log) { return explain(*arguments, log); }};
}

}  // namespace fuser::fuzz
