#pragma once
// What the programs say of a command line that they do not understand, and where else their options may come from.

#include <CLI/CLI.hpp>

#include <string>

namespace fuser {

// One sentence for a command line that `app` does not take, with the names that a misspelt one may stand for:
//   "rn: no such command; did you mean 'run'; there are run, replay, …"
//   "--job: no such option of fuserfuzz run; did you mean '--jobs'"
std::string usageProblem(const CLI::App& app, const CLI::ParseError& error);

// The exit code behind app.parse(): 0 after --help or --version, which it prints; 1 after a sentence on standard error
// (usageProblem()) and the line that prints help.
int exitOfUsage(const CLI::App& app, const CLI::ParseError& error);

// --version, -V: the program's name, and `version`.
void addVersion(CLI::App& app, const std::string& version);

// --config FILE: options from a file, those of a command below its name in brackets; what is typed goes first.
void addConfigFile(CLI::App& app);

// --man and --completion SHELL, made from the options and their help: to standard output, and nothing else is done.
void addManual(CLI::App& app);

}  // namespace fuser
