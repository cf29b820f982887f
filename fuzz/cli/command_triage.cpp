// fuserfuzz triage: findings of earlier nights, moved by what they do today; bugs of other compilers, which live or
// not.

#include <algorithm>
#include <memory>

#include "fuser/support/set_up_error.h"
#include "fuzz/campaign/found_bugs.h"
#include "fuzz/campaign/triage.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "fuzz/judge/bucket.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kStages = R"(
Folders in DIR
  (DIR itself)   new files, from a campaign or from you; a case that never failed stays here
  crashing/      fails
  incubating/    failed once, does not fail now
  regression/    did not fail in three calls in a row; a failure moves it back to crashing/

Bugs of other compilers
  Where DIR has a folder a bug with a found.fusion, as reports/found has, each is judged on the compiler that its line
  '#: bucket = …' names, and nothing is moved. LIVES: it fails as the line says; CHANGED: otherwise; gone: it does not
  fail; open: the compiler may do that, or does not take the program. Compilers that are not set up are named, and
  their bugs left out.

Examples
  fuserfuzz triage findings --dry-run    replays a folder of findings
  fuserfuzz triage findings              and moves each file
  fuserfuzz triage reports/found         which of these bugs live, on the compilers that are set up
  fuserfuzz triage reports/found --target=openvino@2026.4.1   those of OpenVINO, on this release

Exit codes
  0 nothing fails   1 usage or set-up   77 something fails
)";

int runTriage(const std::string& folder, const ReplayOptions& options, bool dryRun) {
  const std::vector<Triaged> all = triage(folder, options, dryRun);
  if (all.empty()) printLine(concat("no .fusion file in ", folder, ", nor in its folders of findings"));
  int failing = 0;
  for (const Triaged& entry : all) {
    const std::string from = stageFolder(entry.from), to = stageFolder(entry.to);
    std::string line = concat(entry.fails ? "FAILS  " : "clean  ", from.empty() ? "new" : from);
    if (from != to) line += concat(" -> ", to);
    if (entry.movedTo != entry.name) line += concat(" as ", entry.movedTo);
    if (entry.to == Stage::Incubating) line += concat(" (", entry.cleanReplays, " of ", kCleanReplays, " clean)");
    printLine(concat(line, "  ", entry.name, "  ", entry.verdict));
    failing += entry.fails;
  }
  printLine(concat(failing, " fail", dryRun ? "; nothing was moved" : ""));
  return failing == 0 ? kExitClean : kExitFinding;
}

std::string lineOf(const FoundBug& bug, const BugToday& today) {
  constexpr const char* kNames[] = {"LIVES  ", "gone   ", "CHANGED", "open   "};
  const std::string name = concat(kNames[static_cast<size_t>(today.state)], "  ", bug.name);
  if (today.bucket.empty()) return concat(name, "  ", today.verdict);
  return today.state == BugState::Lives ? name : concat(name, "  ", today.bucket, ", was ", bug.bucket);
}

// Of one target; which: what --target says, or its name.
int triageBugsOf(const std::string& which, const std::vector<FoundBug>& bugs, const ReplayOptions& options) {
  ReplayOptions ofTarget = options;
  ofTarget.judge.secondLooks = HowOften::Always;  // all views
  ofTarget.judge.allInvariants = true;
  TargetArguments target;
  target.target = which;
  target.resolve(ofTarget.judge, ofTarget.limits);
  const std::vector<BugToday> results = judgeBugs(bugs, ofTarget);
  int failing = 0;
  for (size_t i = 0; i < bugs.size(); ++i) {
    printLine(lineOf(bugs[i], results[i]));
    failing += !results[i].bucket.empty();
  }
  return failing;
}

// only: a target, perhaps of another release; "": all.
int triageBugs(const std::vector<FoundBug>& bugs, const std::string& only, const ReplayOptions& options) {
  int failing = 0, judged = 0;
  std::vector<std::string> targets;
  for (const FoundBug& bug : bugs) {
    if (std::find(targets.begin(), targets.end(), bug.target) == targets.end()) targets.push_back(bug.target);
  }
  for (const std::string& target : targets) {
    if (!only.empty() && stageOfTarget(only) != target) continue;
    std::vector<FoundBug> own;
    std::copy_if(bugs.begin(), bugs.end(), std::back_inserter(own),
                 [&](const FoundBug& bug) { return bug.target == target; });
    try {
      failing += triageBugsOf(only.empty() ? target : only, own, options);
      judged += static_cast<int>(own.size());
    } catch (const SetUpError& error) {
      if (!only.empty()) throw;
      printLine(concat(own.size(), " of ", target, " were not judged: ", error.what()));
    }
  }
  FUSER_USER_CHECK(judged > 0, "no bug of ", only.empty() ? "a compiler that is set up" : only, " was judged");
  printLine(concat(failing, " of ", judged, " live"));
  return failing == 0 ? kExitClean : kExitFinding;
}

}  // namespace

Command addTriageCommand(CLI::App& app) {
  struct TriageArguments {
    WorkerArguments workers;
    TargetArguments target;
    std::string folder;
    bool dryRun = false;
  };
  CLI::App* command = app.add_subcommand("triage", "replay a folder of findings, and sort them by the result");
  const auto arguments = std::make_shared<TriageArguments>();
  arguments->workers.addTo(command);
  arguments->target.addTo(command);
  command->add_option("folder", arguments->folder, "folder of findings")->type_name("DIR")->required();
  command->add_flag("--dry-run", arguments->dryRun, "print the moves without making them");
  command->footer(kStages);
  return {command, [arguments](const LogPtr& log) {
            ReplayOptions options;
            options.jobs = arguments->workers.jobs;
            options.limits = arguments->workers.limits;
            options.log = log;
            if (const std::vector<FoundBug> bugs = foundBugs(arguments->folder); !bugs.empty())
              return triageBugs(bugs, arguments->target.target, options);
            FUSER_USER_CHECK(arguments->target.target.empty(), arguments->folder,
                             " has no folder with a found.fusion, which --target is for");
            return runTriage(arguments->folder, options, arguments->dryRun);
          }};
}

}  // namespace fuser::fuzz
