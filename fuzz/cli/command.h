#pragma once
// The commands of fuserfuzz: each a file command_<name>.cpp that adds its subcommand, and a line in main.cpp's list.

#include <CLI/CLI.hpp>

#include <functional>

namespace fuser::fuzz {

struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;  // after parsing; the exit code. A UserError is a set-up failure
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
