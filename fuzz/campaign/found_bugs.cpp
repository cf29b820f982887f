#include "fuzz/campaign/found_bugs.h"

#include <algorithm>
#include <map>
#include <optional>

#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"
#include "fuzz/campaign/perform_task.h"
#include "fuzz/isolate/worker_pool.h"
#include "fuzz/judge/bucket.h"

namespace fuser::fuzz {
namespace {

// "differs | openvino | Pad f32 | zeros" -> "openvino".
std::string targetOf(const std::string& bucket) {
  const size_t begin = bucket.find(" | "), end = bucket.find(" | ", begin + 3);
  return begin == std::string::npos || end == std::string::npos ? "" : bucket.substr(begin + 3, end - begin - 3);
}

FoundBug readBug(const std::filesystem::path& file) {
  const Case testCase = parseCase(readFusionFile(file.string()), file.string());
  const auto entry = std::find_if(testCase.metadata.begin(), testCase.metadata.end(),
                                  [](const auto& one) { return one.first == "bucket"; });
  FoundBug bug{file.parent_path().filename(), file, "", entry == testCase.metadata.end() ? "" : entry->second};
  bug.target = targetOf(bug.bucket);
  FUSER_USER_CHECK(!bug.target.empty(), file.string(), ": no line '#: bucket = differs | NAME | …' names its target");
  return bug;
}

std::string taskOf(const FoundBug& bug) { return printTask(SingleTask(FileTask{bug.file.string()})); }

BugToday today(const FoundBug& bug, const Outcome& outcome) {
  const CaseVerdict verdict = resultOf(outcome).verdict;
  BugToday result;
  result.verdict = toString(verdict);
  result.verdict = result.verdict.substr(0, result.verdict.find('\n'));
  const bool isOpen = verdict.kind == VerdictKind::Undecided || verdict.kind == VerdictKind::Unsupported;
  if (isOpen) result.state = BugState::NotJudged;
  if (!isFinding(verdict.kind)) return result;
  Bucket bucket = bucketWithoutStage(verdict);
  bucket.stage = bug.target;
  result.bucket = toString(bucket);
  result.state = result.bucket == bug.bucket ? BugState::Lives : BugState::Changed;
  return result;
}

}  // namespace

std::vector<FoundBug> foundBugs(const std::filesystem::path& folder) {
  std::vector<FoundBug> bugs;
  if (!std::filesystem::is_directory(folder)) return bugs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path file = entry.path() / "found.fusion";
    if (std::filesystem::exists(file)) bugs.push_back(readBug(file));
  }
  std::sort(bugs.begin(), bugs.end(), [](const FoundBug& a, const FoundBug& b) { return a.name < b.name; });
  return bugs;
}

std::vector<BugToday> judgeBugs(const std::vector<FoundBug>& bugs, const ReplayOptions& options) {
  TaskSettings settings;
  settings.judge = options.judge;
  std::map<std::string, BugToday> results;  // by task
  size_t next = 0;
  const auto nextTask = [&]() -> std::optional<PoolTask> {
    if (next == bugs.size()) return std::nullopt;
    return PoolTask(taskOf(bugs[next++]));
  };
  const auto done = [&](const Outcome& outcome) {
    for (const FoundBug& bug : bugs) {
      if (taskOf(bug) == outcome.task) results[outcome.task] = today(bug, outcome);
    }
  };
  WorkerPool(options.jobs, options.limits, judgingWork(settings)).run(nextTask, done);
  std::vector<BugToday> ofEach;
  for (const FoundBug& bug : bugs) ofEach.push_back(results.at(taskOf(bug)));
  return ofEach;
}

}  // namespace fuser::fuzz
