#pragma once
// A manual page and shell completions, made from a program's options and their help, so that they say the same.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace fuser {

// All commands of a program, in the order of its help.
std::vector<const CLI::App*> commandsOf(const CLI::App& app);

// In roff, for `man -l -`: name, synopsis, options, each command with its own, and the footers.
std::string manualPage(const CLI::App& app);

enum class Shell : uint8_t { Bash, Zsh, Fish };
Shell shellNamed(const std::string& name);  // a UserError for any other than bash, zsh and fish

// A script that the shell reads: commands, then the options of the command typed, and files.
//   bash: source <(fuserfuzz --completion bash)     fish: fuserfuzz --completion fish | source
std::string completion(const CLI::App& app, Shell shell);

}  // namespace fuser
