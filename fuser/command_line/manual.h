#pragma once
// Generates a manual page and shell completions from a program's options and their help texts, so that they agree.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace fuser {

// All commands of a program, in the order of its help.
std::vector<const CLI::App*> commandsOf(const CLI::App& app);

// The manual page in roff, for `man -l -`: name, synopsis, options, each command with its options, and the footers.
std::string manualPage(const CLI::App& app);

enum class Shell : uint8_t { Bash, Zsh, Fish };
Shell shellNamed(const std::string& name);  // a UserError for names other than bash, zsh and fish

// A script with which the shell completes commands, then the options of the typed command, and files.
//   bash: source <(fuserfuzz --completion bash)     fish: fuserfuzz --completion fish | source
std::string completion(const CLI::App& app, Shell shell);

}  // namespace fuser
