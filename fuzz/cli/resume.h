#pragma once
// The arguments of a campaign that its ledger keeps, so that --resume needs none of them.

#include <CLI/CLI.hpp>

#include <map>
#include <string>

namespace fuser::fuzz {

// By option, the words for a shell: what was typed of the options that a campaign goes on with.
std::map<std::string, std::string> keptArguments(const CLI::App& run);

// Gives `run`, which is parsed, what was kept and is not typed now. A UserError names an option that decides what the
// campaign's results are and is typed otherwise; lineToType: what goes on.
void takeKeptArguments(CLI::App& run, const std::map<std::string, std::string>& kept, const std::string& lineToType);

}  // namespace fuser::fuzz
