#pragma once
// Known issues: findings that somebody looked at and decided to live with for a time. A campaign counts what matches
// one as known, not as new. When an issue's case no longer fails its entry has to go: a test says so.
//
// The list is JSON: [{"bucket": "differs | * | Reduction | nan", "reason": "why it is not fixed yet", "case":
// "regressions/x.fusion"}]. In `bucket` a * stands for any text; `case` lies beside the list or below its folder.

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

// A UserError where the list cannot be read, an entry lacks a part, or its case is not there.
std::vector<KnownIssue> readKnownIssues(const std::filesystem::path& list);

// The reason of the first entry that a bucket matches; "" where none does.
std::string knownReason(const std::vector<KnownIssue>& issues, const std::string& bucket);
bool matchesPattern(const std::string& pattern, const std::string& text);

// One sentence for each entry whose case no longer fails, or fails in another bucket. Each case runs in a process of
// its own.
std::vector<std::string> outdated(const std::vector<KnownIssue>& issues, const TaskSettings& settings,
                                  const Limits& limits);

}  // namespace fuser::fuzz
