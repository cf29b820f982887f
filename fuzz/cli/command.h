#pragma once
// The commands of fuserfuzz: each a file command_<name>.cpp that adds its subcommand, and a line in main.cpp's list.

#include <CLI/CLI.hpp>

#include <functional>

#include "fuser/log/log.h"

namespace fuser::fuzz {

struct Command {
  CLI::App* app = nullptr;
  // After parsing; the exit code. A UserError is a set-up failure. log: what is no result, on standard error.
  std::function<int(const LogPtr& log)> run;
};

Command addRunCommand(CLI::App& app);
Command addGenerateCommand(CLI::App& app);
Command addReplayCommand(CLI::App& app);
Command addReportCommand(CLI::App& app);
Command addPerfCheckCommand(CLI::App& app);
Command addCompareCommand(CLI::App& app);
Command addSelftestCommand(CLI::App& app);
Command addTriageCommand(CLI::App& app);
Command addMinimizeCommand(CLI::App& app);

}  // namespace fuser::fuzz
