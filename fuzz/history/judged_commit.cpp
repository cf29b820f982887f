#include "fuzz/history/judged_commit.h"

#include "fuser/support/check.h"
#include "fuzz/history/bisect.h"
#include "fuzz/history/work_trees.h"
#include "reports/line_diff.h"

namespace fuser::fuzz {
namespace {

// "differs" of the lines "FAILED  0.003 s  case.fusion" and "    differs, run 1: …", which every version prints.
std::string verdictIn(const std::string& output) {
  bool isNext = false;
  for (const std::string& line : reports::linesOf(output)) {
    const size_t start = line.find_first_not_of(' ');
    if (isNext && start != std::string::npos) return line.substr(start, line.find_first_of(",: ", start) - start);
    isNext = line.starts_with("FAILED ");
  }
  return "";
}

JudgedCommit skipped(const std::string& why, const ShellResult& result) {
  const std::string last = result.lastLine();
  return {CommitState::Skipped, "", concat(why, last.empty() ? "" : ": ", last)};
}

}  // namespace

std::string_view commitStateName(CommitState state) {
  switch (state) {
    case CommitState::Good: return "good";
    case CommitState::Bad: return "bad";
    case CommitState::Skipped: return "skip";
  }
  FUSER_CHECK(false, "bad CommitState");
}

JudgedCommit judgedByReplay(int exitCode, const std::string& output) {
  switch (exitCode) {
    case 0: return {CommitState::Good, "", ""};
    case 70:  // a timeout
    case 71:  // out of memory
    case 77: return {CommitState::Bad, verdictIn(output), ""};
    default: return skipped(concat("replay ends with exit code ", exitCode), {exitCode, output});
  }
}

JudgedCommit judgeCommit(const std::filesystem::path& tree, const std::string& commit, const std::string& build,
                         const std::filesystem::path& file) {
  const ShellResult checkedOut = git(tree, {"checkout", "--quiet", "--force", "--detach", commit});
  if (checkedOut.exitCode != 0) return skipped("git does not check it out", checkedOut);
  const std::filesystem::path program = tree / kBisectedProgram;
  std::error_code error;
  std::filesystem::remove(program, error);  // another commit's
  const ShellResult built = runShell(build, tree);
  if (built.exitCode != 0) return skipped("does not build", built);
  if (!std::filesystem::exists(program, error))
    return {CommitState::Skipped, "", concat("its build leaves no ", kBisectedProgram)};
  const ShellResult replayed = runProgram({program.string(), "replay", file.string()}, tree);
  return judgedByReplay(replayed.exitCode, replayed.output);
}

}  // namespace fuser::fuzz
