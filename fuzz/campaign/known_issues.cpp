// The list of known issues, and the check that it is not longer than it must be.

#include "fuzz/campaign/known_issues.h"

#include "fuzz/campaign/confirm.h"
#include "fuzz/campaign/files.h"
#include "fuzz/judge/bucket.h"
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

namespace {

std::string taskOf(const KnownIssue& issue) { return printTask(SingleTask(FileTask{issue.file.string()})); }

// Which of them fail as their entries say. Of a target alone, whose verdicts have their buckets at once, and whose
// start costs seconds: all cases run in one process, which starts it once.
std::vector<bool> failingInOneProcess(const std::vector<KnownIssue>& issues, const TaskSettings& settings,
                                      const Limits& limits) {
  std::vector<bool> failing(issues.size());
  if (!settings.judge.target) return failing;
  const std::string stage = stageOfTarget(settings.judge.target->name());
  size_t next = 0;
  const auto nextTask = [&]() -> std::optional<PoolTask> {
    if (next == issues.size()) return std::nullopt;
    return PoolTask(taskOf(issues[next++]));
  };
  const auto done = [&](const Outcome& outcome) {
    const CaseVerdict verdict = resultOf(outcome).verdict;
    if (outcome.ending != Ending::Finished || !isFinding(verdict.kind)) return;
    Bucket bucket = bucketWithoutStage(verdict);
    bucket.stage = stage;
    for (size_t i = 0; i < issues.size(); ++i) {
      if (outcome.task == taskOf(issues[i]) && matchesPattern(issues[i].bucket, toString(bucket))) failing[i] = true;
    }
  };
  WorkerPool(1, limits, judgingWork(settings)).run(nextTask, done);
  return failing;
}

}  // namespace

std::vector<std::string> outdated(const std::vector<KnownIssue>& issues, const TaskSettings& settings,
                                  const Limits& limits) {
  std::vector<std::string> problems;
  const std::vector<bool> failing = failingInOneProcess(issues, settings, limits);
  for (size_t i = 0; i < issues.size(); ++i) {
    if (failing[i]) continue;
    const KnownIssue& issue = issues[i];
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
