#pragma once
// The arguments of a campaign that its ledger stores, so that --resume needs no others.

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace fuser::fuzz {

// The typed options that a resumed campaign uses again, each with its words for a shell.
std::map<std::string, std::string> keptArguments(const CLI::App& run);

// Sets the options of the parsed command `run` that were stored and not typed now. A UserError names an option that
// decides results and was typed with another value. lineToType: the command line that continues the campaign.
void takeKeptArguments(CLI::App& run, const std::map<std::string, std::string>& kept, const std::string& lineToType);

}  // namespace fuser::fuzz
