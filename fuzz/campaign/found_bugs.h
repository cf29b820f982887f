#pragma once
// What became of bugs of other compilers: a folder like reports/found has a folder a bug, with the program that shows
// it in found.fusion. Its line "#: bucket = differs | NAME | …" names the target, and how it failed.

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/campaign.h"

namespace fuser::fuzz {

struct FoundBug {
  std::string name;  // of its folder
  std::filesystem::path file;
  std::string target, bucket;
};

// In order of name; none where the folder has no such bugs. A UserError if a file does not parse or names no bucket.
std::vector<FoundBug> foundBugs(const std::filesystem::path& folder);

enum class BugState : uint8_t { Lives, Gone, Changed, NotJudged };

struct BugToday {
  BugState state = BugState::Gone;
  std::string bucket;   // today's, if it fails
  std::string verdict;  // one line
};

// Of each bug; all have the target of options.judge. Each of options.jobs processes starts it once.
std::vector<BugToday> judgeBugs(const std::vector<FoundBug>& bugs, const ReplayOptions& options);

}  // namespace fuser::fuzz
