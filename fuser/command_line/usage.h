#pragma once
// Errors for invalid command lines, and the options that all programs share: version, configuration file, manual.

#include <CLI/CLI.hpp>

#include <string>

namespace fuser {

// A one-sentence error for a command line that `app` does not accept, with suggestions for a misspelt name:
//   "rn: no such command; did you mean 'run'; there are run, replay, …"
//   "--job: no such option of fuserfuzz run; did you mean '--jobs'"
std::string usageProblem(const CLI::App& app, const CLI::ParseError& error);

// The exit code when app.parse() throws `error`: 0 for --help and --version, whose text it prints, and after --man and
// --completion; otherwise 1, after it has printed usageProblem() and the command for help to standard error.
int exitOfUsage(const CLI::App& app, const CLI::ParseError& error);

// Adds --version and -V, which print the program's name and `version`.
void addVersion(CLI::App& app, const std::string& version);

// Adds --config FILE, which reads options from a file; those of a command follow its name in brackets. Options on the
// command line take precedence.
void addConfigFile(CLI::App& app);

// Adds --man and --completion SHELL (manual.h), which print to standard output and end parsing with CLI::Success, so
// that nothing else runs.
void addManual(CLI::App& app);

}  // namespace fuser
