#pragma once
// Arguments that several commands share.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "fuzz/compilers/target_judge.h"
#include "fuzz/generate/generate.h"
#include "fuzz/isolate/worker_pool.h"
#include "fuzz/judge/judge_case.h"
#include "oracle/profile.h"

namespace fuser::fuzz {

// The arguments that determine the generated cases.
struct GeneratorArguments {
  uint64_t seed = 0;
  std::vector<std::string> only, exclude, favour, seldom, parents;
  bool noSwarm = false;
  std::string world;  // words of worldOptions(); "": cases are drawn
  GeneratorOptions options;
  std::string leftOut;  // one line, of parents that do not parse; empty: all do

  void addTo(CLI::App* app);
  // What a target can be judged on (fuzz/compilers/exact_mode.h): exact data and, unless --only says otherwise, exact
  // ops. Call it before resolve().
  void drawExactly();
  // What a target can be judged on by its profile: unless --only and --seldom say otherwise, the ops that it covers,
  // and few of the floating dtypes that the target may hold as others. Call it before resolve().
  void drawUnder(const std::string& target, const oracle::Profile& profile);
  // Adds "--parents".
  void addParentsTo(CLI::App* app);
  // Adds "--world".
  void addWorldTo(CLI::App* app);
  // Adds "--fault".
  void addFaultTo(CLI::App* app);
  // Call it after parsing: draws the seed if it is 0, resolves names of ops and reads the parents. A UserError names
  // the invalid argument.
  void resolve();
  // The arguments with which `generate` prints the same cases; may be empty: "--only", "add".
  std::vector<std::string> flags() const;

 private:
  void resolveFavour();
};

// "add", "div:rounding_mode = trunc"; a mnemonic alone means all its rows. A UserError names what is none.
std::set<OpKind> opsNamed(const std::vector<std::string>& names);

// The limits per case, and the number of concurrent workers.
struct WorkerArguments {
  int jobs = 1;
  Limits limits;

  void addTo(CLI::App* app);
};

// Another compiler to be judged.
struct TargetArguments {
  std::string target;  // "": ours

  void addTo(CLI::App* app);
  // Sets the target, and raises the time limit of a case to what it needs; a program has the time of target.def. A
  // SetUpError if its environment is not there.
  void resolve(JudgeSettings& judge, Limits& limits, JudgingMode mode = JudgingMode::Mixed) const;
  // Of the target; a UserError if there is none.
  const oracle::Profile& profile() const;
};

// Adds "--no-probes", for commands that judge.
void addNoProbes(CLI::App* app, bool& noProbes);

// Handles SIGINT and SIGTERM: the first one asks the command to finish, the second one exits at once with 72. SIGHUP
// asks it to finish, however often it comes, unless it is ignored (nohup).
void watchInterrupts();
bool interrupted();

// Handles SIGUSR1, which asks for a status line. Returns true once per signal; signals that come together count once.
void watchStatusRequests();
bool statusRequested();

// The path of this program, quoted for a shell.
std::string runningProgram();

// Prints a line to standard output and flushes.
void printLine(const std::string& line);
// Prints text for other programs, verbatim.
void printText(const std::string& text);

}  // namespace fuser::fuzz
