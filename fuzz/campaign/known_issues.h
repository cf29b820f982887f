#pragma once
// Known issues: findings that were triaged and accepted for now. A campaign counts matching findings as known, not as
// new; on a target, where the bucket is known at once, they do not run again either. A test fails when an issue's case
// no longer fails, so that the entry is removed; a campaign on a target, whose versions come and go, says so at its
// start.
//
// A folder has a list a compiler: fuser.json, and one named after each target. A list is JSON: [{"bucket": "differs | *
// | Reduction | nan", "reason": "why it is not fixed yet", "case": "regressions/x.fusion"}]. In `bucket`, * matches any
// text; `case` is a path relative to the list's folder.

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/perform_task.h"

namespace fuser::fuzz {

struct KnownIssue {
  std::string bucket;  // pattern
  std::string reason;
  std::filesystem::path file;  // of the case
};

// The list of a folder, or the file itself; none where there is no such list in the folder. target: "": fuser.
std::filesystem::path knownIssuesList(const std::filesystem::path& place, const std::string& target);

// A UserError if the list cannot be read, an entry lacks a field, or its case does not exist.
std::vector<KnownIssue> readKnownIssues(const std::filesystem::path& list);

// The reason of the first entry that matches the bucket; "" if none does.
std::string knownReason(const std::vector<KnownIssue>& issues, const std::string& bucket);
bool matchesPattern(const std::string& pattern, const std::string& text);

// One sentence for each entry whose case no longer fails, or fails in another bucket. Each case runs in a process of
// its own; of a target, only those that do not fail as listed in one process for all.
std::vector<std::string> outdated(const std::vector<KnownIssue>& issues, const TaskSettings& settings,
                                  const Limits& limits);

}  // namespace fuser::fuzz
