#pragma once
// The commands of fuserfuzz. Each one is a file command_<name>.cpp that adds its subcommand, and a line in the list of
// main.cpp.

#include <CLI/CLI.hpp>

#include <functional>

#include "fuser/log/log.h"

namespace fuser::fuzz {

struct Command {
  CLI::App* app = nullptr;
  // Runs after parsing; returns the exit code. A UserError is a set-up failure. log: for messages, on standard error.
  std::function<int(const LogPtr& log)> run;
};

Command addRunCommand(CLI::App& app);
Command addEnumerateCommand(CLI::App& app);
Command addGenerateCommand(CLI::App& app);
Command addExportCommand(CLI::App& app);
Command addImportCommand(CLI::App& app);
Command addReplayCommand(CLI::App& app);
Command addExplainCommand(CLI::App& app);
Command addBisectCommand(CLI::App& app);
Command addReportCommand(CLI::App& app);
Command addMergeCommand(CLI::App& app);
Command addPerfCheckCommand(CLI::App& app);
Command addCompareCommand(CLI::App& app);
Command addEstimateCommand(CLI::App& app);
Command addTimeCommand(CLI::App& app);
Command addSelftestCommand(CLI::App& app);
Command addTriageCommand(CLI::App& app);
Command addMinimizeCommand(CLI::App& app);
Command addProbeTargetCommand(CLI::App& app);

}  // namespace fuser::fuzz
