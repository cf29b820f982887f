// fuserfuzz bisect: since which commit a case fails.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include "fuser/command_line/numbers.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "fuzz/history/bisect.h"
#include "reports/bisection.h"

namespace fuser::fuzz {
namespace {

struct BisectArguments {
  BisectOptions options;
  std::string repository = ".", file, keep, out;
};

int bisectCommand(BisectArguments& arguments) {
  BisectOptions& options = arguments.options;
  options.repository = arguments.repository;
  options.file = arguments.file;
  options.keep = arguments.keep;
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  if (options.jobs == 0) options.jobs = cores;
  if (options.build.empty()) options.build = usualBuild(std::max<size_t>(1, cores / options.jobs));
  if (!arguments.out.empty()) checkWritableFile(arguments.out);
  watchInterrupts();
  try {
    const reports::Bisection result = bisect(options, interrupted, printLine);
    for (const std::string& line : linesOf(result)) printLine(line);
    if (!arguments.out.empty()) reports::writeFile(arguments.out, toJson(result) + "\n");
  } catch (const BisectInterrupted&) {
    printLine("interrupted: nothing is known yet");
    return kExitInterrupted;
  }
  return kExitClean;
}

}  // namespace

Command addBisectCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bisect", "since which commit of fuser's history a case fails");
  const auto arguments = std::make_shared<BisectArguments>();
  BisectOptions& options = arguments->options;
  command->add_option("--good", options.good, "a commit where the case passes")->required()->type_name("COMMIT");
  command->add_option("--bad", options.bad, "a later one where it fails")->required()->type_name("COMMIT");
  command->add_option("-C,--repository", arguments->repository, "folder of fuser's repository")
      ->type_name("DIR")
      ->capture_default_str();
  takesCount(command->add_option("--jobs", options.jobs,
                                 "commits that are built at the same time, on their share of the cores (default: one a "
                                 "core)"),
             1)
      ->type_name("N");
  command
      ->add_option("--keep", arguments->keep,
                   "folder for worktrees and builds, to be used again (default: a "
                   "temporary one)")
      ->type_name("DIR");
  command
      ->add_option("--build", options.build,
                   "command line that builds a worktree, in its root, and leaves build/release/bin/fuserfuzz (default: "
                   "the preset release)")
      ->type_name("COMMAND");
  command
      ->add_option("--out", arguments->out,
                   "write the result as JSON; the page of NAME.fusion shows that of NAME.bisect.json beside it")
      ->type_name("FILE");
  command->add_option("path", arguments->file, "a .fusion file")->required()->type_name("FILE");
  command->footer(R"(
git bisect chooses the commits. Each is checked out in a worktree of its own and built, and its own `fuserfuzz replay` judges
the file; with several jobs those commits are built, too, that come next. The repository's own files stay as they are.
Both ends are tried first. A commit is left out, as by git bisect skip, if it does not build, cannot read the file, or
fails with another verdict than the bad one; where nothing but such commits is left, the answer is a range, oldest first.
ccache makes a build cheap where little changes between commits. A case with a planted fault needs commits that know it.
Of a broken invariant the answer may be the commit since which replay checks it: older ones check some of them now and then.

Examples
  fuserfuzz bisect --good HEAD~40 --bad HEAD case.fusion
  fuserfuzz bisect --good HEAD~40 --bad HEAD --keep out/bisect --out case.bisect.json case.fusion

Exit codes
  0 found, or a range   1 usage or set-up; the good commit is not good, or the bad one not bad   72 interrupted
)");
  return {command, [arguments](const LogPtr&) { return bisectCommand(*arguments); }};
}

}  // namespace fuser::fuzz
