#pragma once
// The arguments of a campaign that its ledger stores, so that --resume needs no others.

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace fuser::fuzz {

// The options on the command line that a resumed campaign uses again, each with its values quoted for a shell.
std::map<std::string, std::string> keptArguments(const CLI::App& run);

// Sets the options of the parsed command `run` that the ledger stores and the command line omits. A UserError names an
// option that determines results and now has another value. lineToType: the command line that continues the campaign.
void takeKeptArguments(CLI::App& run, const std::map<std::string, std::string>& kept, const std::string& lineToType);

}  // namespace fuser::fuzz
