#pragma once
// Arguments that several commands share.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "fuzz/generate/generate.h"
#include "fuzz/isolate/worker_pool.h"

namespace fuser::fuzz {

// What decides which cases there are.
struct GeneratorArguments {
  uint64_t seed = 0;
  std::vector<std::string> only, exclude;
  GeneratorOptions options;

  void addTo(CLI::App* app);
  // After parsing: draws the seed where it is 0, resolves names of ops. A UserError names what is wrong.
  void resolve();
  // Arguments that make `generate` print the same cases: none, or "--only", "add".
  std::vector<std::string> flags() const;
};

// What one case may take, and how many run at once.
struct WorkerArguments {
  int jobs = 1;
  Limits limits;

  void addTo(CLI::App* app);
};

// "--no-probes", for commands that judge.
void addNoProbes(CLI::App* app, bool& noProbes);

// Ctrl-C and SIGTERM: the first asks to finish, the second leaves at once with 72. A hang-up asks to finish, however
// often it comes, unless it is ignored (nohup).
void watchInterrupts();
bool interrupted();

// SIGUSR1 asks for a line of status. True once for each time, or for several that came together.
void watchStatusRequests();
bool statusRequested();

// This very program, for lines to paste into a shell.
std::string runningProgram();

// A line on standard output, at once.
void printLine(const std::string& line);
// Text for a program to read, as it is.
void printText(const std::string& text);

}  // namespace fuser::fuzz
