// The list of known issues, and the check that it is not longer than it must be.

#include "fuzz/campaign/known_issues.h"

#include "fuzz/campaign/confirm.h"
#include "fuzz/campaign/files.h"
#include "reports/json_text.h"

namespace fuser::fuzz {

std::filesystem::path knownIssuesList(const std::filesystem::path& place, const std::string& target) {
  if (!std::filesystem::is_directory(place)) return place;
  const std::filesystem::path list = place / ((target.empty() ? "fuser" : target) + ".json");
  return std::filesystem::exists(list) ? list : std::filesystem::path();
}

std::vector<KnownIssue> readKnownIssues(const std::filesystem::path& list) {
  std::vector<KnownIssue> issues;
  const nlohmann::json entries = reports::parseJson(readTextFile(list.string()), list.string());
  try {
    FUSER_USER_CHECK(entries.is_array(), list.string(), " is not a list of known issues, [{bucket, reason, case}]");
    for (const nlohmann::json& entry : entries) {
      KnownIssue issue;
      entry.at("bucket").get_to(issue.bucket);
      entry.at("reason").get_to(issue.reason);
      issue.file = list.parent_path() / entry.at("case").get<std::string>();
      FUSER_USER_CHECK(!issue.reason.empty(), list.string(), ": the entry '", issue.bucket, "' gives no reason");
      FUSER_USER_CHECK(std::filesystem::exists(issue.file), list.string(), ": the entry '", issue.bucket,
                       "' names a case that does not exist: ", issue.file.string());
      issues.push_back(std::move(issue));
    }
  } catch (const nlohmann::json::exception& error) {
    throwUserError(concat(list.string(), " is not a list of known issues, [{bucket, reason, case}]",
                          ": an entry is wrong: ", reports::inOurWords(error)));
  }
  return issues;
}

bool matchesPattern(const std::string& pattern, const std::string& text) {
  // Greedy, with one place to come back to: the last *.
  size_t p = 0, t = 0, star = std::string::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string knownReason(const std::vector<KnownIssue>& issues, const std::string& bucket) {
  for (const KnownIssue& issue : issues) {
    if (matchesPattern(issue.bucket, bucket)) return issue.reason;
  }
  return "";
}

std::vector<std::string> outdated(const std::vector<KnownIssue>& issues, const TaskSettings& settings,
                                  const Limits& limits) {
  std::vector<std::string> problems;
  for (const KnownIssue& issue : issues) {
    Suspect suspect;
    suspect.task = FileTask{issue.file.string()};
    const Outcome outcome = runAlone(printTask(suspect.task), limits, judgingWork(settings));
    CaseVerdict verdict = resultOf(outcome).verdict;
    if (!isFinding(verdict.kind) && verdict.expected) {
      problems.push_back(concat("the known issue '", issue.bucket, "' is gone: ", issue.file.string(),
                                " no longer fails; take its entry out of the list"));
      continue;
    }
    suspect.verdict = std::move(verdict);
    const std::string bucket = confirm(suspect, settings, limits).bucket;
    if (!matchesPattern(issue.bucket, bucket)) {
      problems.push_back(concat("the known issue '", issue.bucket, "' has moved: ", issue.file.string(),
                                " now fails as '", bucket, "'"));
    }
  }
  return problems;
}

}  // namespace fuser::fuzz
