// Replays and moves files.

#include "fuzz/campaign/triage.h"

#include <algorithm>
#include <map>

#include "fuzz/campaign/confirm.h"

namespace fuser::fuzz {
namespace {

constexpr Stage kStages[] = {Stage::Fresh, Stage::Crashing, Stage::Incubating, Stage::Regression};
constexpr std::string_view kCounter = "#: clean_replays = ";

struct Waiting {
  std::filesystem::path path;
  Triaged entry;
  int runs = 1;
};

// Those of the folder itself, not below it.
std::vector<std::filesystem::path> casesIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return files;
  for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
    if (file.is_regular_file() && file.path().extension() == ".fusion") files.push_back(file.path());
  }
  FUSER_USER_CHECK(!error, "cannot read ", folder.string(), ": ", error.message());
  std::sort(files.begin(), files.end());
  return files;
}

// Start and length of the counter's line.
std::pair<size_t, size_t> counterLine(const std::string& text) {
  size_t place = text.find(kCounter);
  while (place != std::string::npos && place > 0 && text[place - 1] != '\n') place = text.find(kCounter, place + 1);
  if (place == std::string::npos) return {0, 0};
  return {place, std::min(text.find('\n', place), text.size() - 1) + 1 - place};
}

int counterOf(const std::string& text) {
  const auto [place, length] = counterLine(text);
  return length == 0 ? 0 : std::atoi(text.c_str() + place + kCounter.size());
}

std::string withCounter(std::string text, int count) {
  const auto [place, length] = counterLine(text);
  text.erase(place, length);
  return count == 0 ? text : concat(kCounter, count, "\n") + text;
}

void take(const Outcome& outcome, Waiting& waiting) {
  CaseVerdict verdict;
  if (outcome.ending == Ending::Finished) {
    verdict = taskResultFromJson(outcome.reply).verdict;
  } else {
    verdict.kind = kindOf(outcome.ending);
    verdict.reason = outcome.detail.substr(0, outcome.detail.find('\n'));
  }
  const bool fails = isFinding(verdict.kind) || !verdict.expected;
  if (fails || waiting.entry.verdict.empty()) {
    waiting.entry.verdict = concat(verdictName(verdict.kind), verdict.reason.empty() ? "" : ": ", verdict.reason);
  }
  waiting.entry.fails = waiting.entry.fails || fails;
}

void move(const std::filesystem::path& folder, Waiting& waiting) {
  Triaged& entry = waiting.entry;
  const std::string text = readTextFile(waiting.path.string());
  entry.cleanReplays = entry.fails ? 0 : counterOf(text) + 1;
  entry.to = nextStage(entry.from, entry.fails, entry.cleanReplays);
  // Past its incubation nobody counts.
  const int counted = entry.to == Stage::Incubating ? entry.cleanReplays : 0;
  const std::filesystem::path target = folder / stageFolder(entry.to) / entry.name;
  const std::string changed = withCounter(text, counted);
  if (target == waiting.path && changed == text) return;
  std::error_code error;
  std::filesystem::create_directories(target.parent_path(), error);
  FUSER_USER_CHECK(!error, "cannot make the folder ", target.parent_path().string(), ": ", error.message());
  reports::writeFile(target, changed);
  if (target == waiting.path) return;
  std::filesystem::remove(waiting.path, error);
  FUSER_USER_CHECK(!error, "cannot move ", waiting.path.string(), ": ", error.message());
}

}  // namespace

std::string stageFolder(Stage stage) {
  switch (stage) {
    case Stage::Fresh: return "";
    case Stage::Crashing: return "crashing";
    case Stage::Incubating: return "incubating";
    case Stage::Regression: return "regression";
  }
  FUSER_CHECK(false, "bad Stage");
}

Stage nextStage(Stage from, bool fails, int cleanReplays) {
  if (fails) return Stage::Crashing;
  switch (from) {
    case Stage::Fresh:
    case Stage::Crashing: return Stage::Incubating;
    case Stage::Incubating: return cleanReplays >= kCleanReplays ? Stage::Regression : Stage::Incubating;
    case Stage::Regression: return Stage::Regression;
  }
  FUSER_CHECK(false, "bad Stage");
}

std::vector<Triaged> triage(const std::filesystem::path& folder, const ReplayOptions& options) {
  std::error_code error;
  FUSER_USER_CHECK(std::filesystem::is_directory(folder, error), folder.string(), " is no folder");
  std::vector<Waiting> all;
  std::vector<Task> tasks;
  std::map<std::string, size_t> byTask;
  for (Stage stage : kStages) {
    for (const std::filesystem::path& path : casesIn(folder / stageFolder(stage))) {
      Waiting waiting{path, {path.filename().string(), stage, stage, false, 0, ""}, 1};
      if (waiting.entry.name.rfind("flaky-", 0) == 0) waiting.runs = kFlakyRuns;
      byTask["file " + path.string()] = all.size();
      for (int run = 0; run < waiting.runs; ++run) tasks.emplace_back("file " + path.string(), true);
      all.push_back(std::move(waiting));
    }
  }
  FUSER_USER_CHECK(!all.empty(), "no .fusion file in ", folder.string(), ", nor in its folders of findings");
  TaskSettings settings;
  settings.judge = options.judge;
  size_t given = 0;
  WorkerPool(options.jobs, options.limits,
             [&](const std::string& task) { return toJson(performTask(task, settings)); })
      .run([&]() { return given < tasks.size() ? std::optional<Task>(tasks[given++]) : std::nullopt; },
           [&](const Outcome& outcome) { take(outcome, all[byTask.at(outcome.task)]); });
  std::vector<Triaged> entries;
  for (Waiting& waiting : all) {
    move(folder, waiting);
    entries.push_back(waiting.entry);
  }
  return entries;
}

}  // namespace fuser::fuzz
