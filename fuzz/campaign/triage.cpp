// Replays and moves files.

#include "fuzz/campaign/triage.h"

#include <algorithm>
#include <map>

#include "fuzz/campaign/campaign_folder.h"
#include "fuzz/campaign/confirm.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/program_of.h"

namespace fuser::fuzz {
namespace {

constexpr Stage kStages[] = {Stage::Fresh, Stage::Crashing, Stage::Incubating, Stage::Regression};
constexpr std::string_view kCounter = "#: clean_replays = ";

struct Waiting {
  std::filesystem::path path;
  Triaged entry;
  int runs = 1;
  std::string sequence;  // the text of the .sequence file beside it; empty where there is none

  // A case that fails only after others is judged after them.
  JudgingTask task() const {
    if (sequence.empty()) return FileTask{path.string()};
    return TextsTask{textsOf(sequence)};
  }
};

// The case's program goes where the case goes.
void moveProgram(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  const std::string program = programName(from.string());
  if (!std::filesystem::exists(program, error)) return;
  std::filesystem::rename(program, programName(to.string()), error);
  FUSER_USER_CHECK(!error, "cannot move ", program, ": ", error.message());
}

std::filesystem::path sequenceFileOf(std::filesystem::path path) { return path.replace_extension(".sequence"); }

std::string sequenceBeside(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path sequence = sequenceFileOf(path);
  return std::filesystem::exists(sequence, error) ? readTextFile(sequence.string()) : "";
}

// Those of the folder itself, not below it.
std::vector<std::filesystem::path> casesIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return files;
  for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
    std::error_code noFile;  // a link that leads nowhere, or to itself
    if (file.is_regular_file(noFile) && file.path().extension() == ".fusion") files.push_back(file.path());
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

void recordOutcome(const Outcome& outcome, Waiting& waiting) {
  const CaseVerdict verdict = resultOf(outcome).verdict;
  const bool fails = isFinding(verdict.kind) || !verdict.expected;
  if (fails || waiting.entry.verdict.empty()) {
    waiting.entry.verdict = concat(verdictName(verdict.kind), verdict.reason.empty() ? "" : ": ", verdict.reason);
  }
  waiting.entry.fails = waiting.entry.fails || fails;
}

// Whether a finding lies there that is another one.
bool isTaken(const std::filesystem::path& target, const std::string& text, const std::string& sequence) {
  std::error_code error;
  if (!std::filesystem::exists(target, error)) return std::filesystem::exists(sequenceFileOf(target), error);
  return withCounter(readTextFile(target.string()), 0) != withCounter(text, 0) || sequenceBeside(target) != sequence;
}

// The name in that folder, or one with more letters where another finding has it.
std::filesystem::path freePlace(const std::filesystem::path& wanted, const std::string& text,
                                const std::string& sequence) {
  std::filesystem::path place = wanted;
  for (int number = 2; isTaken(place, text, sequence); ++number)
    place = wanted.parent_path() / concat(wanted.stem().string(), "-", number, wanted.extension().string());
  return place;
}

void removeMoved(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  FUSER_USER_CHECK(!error, "cannot move ", path.string(), ": ", error.message());
}

// A campaign has named it, or written into it what it showed; or a call of triage() has counted it.
bool hasFailed(const std::filesystem::path& path, const std::string& text) {
  if (isArtifact(path) || counterOf(text) > 0) return true;
  for (const char* mark : {"#: finding = ", "#: bucket = ", "#: reproduces = "}) {
    if (text.starts_with(mark) || text.find(concat("\n", mark)) != std::string::npos) return true;
  }
  return false;
}

void move(const std::filesystem::path& folder, Waiting& waiting, bool dryRun) {
  Triaged& entry = waiting.entry;
  const std::string text = readTextFile(waiting.path.string());
  if (entry.from == Stage::Fresh && !entry.fails && !hasFailed(waiting.path, text)) return;
  entry.cleanReplays = entry.fails ? 0 : counterOf(text) + 1;
  entry.to = nextStage(entry.from, entry.fails, entry.cleanReplays);
  if (dryRun) return;
  // Past its incubation nobody counts.
  const int cleanReplays = entry.to == Stage::Incubating ? entry.cleanReplays : 0;
  const std::string changed = withCounter(text, cleanReplays);
  std::filesystem::path target = folder / stageFolder(entry.to) / entry.name;
  if (target == waiting.path) {
    if (changed != text) reports::writeFile(target, changed);
    return;
  }
  std::error_code error;
  std::filesystem::create_directories(target.parent_path(), error);
  FUSER_USER_CHECK(!error, "cannot make the folder ", target.parent_path().string(), ": ", error.message());
  target = freePlace(target, text, waiting.sequence);
  entry.movedTo = target.filename().string();
  if (!waiting.sequence.empty()) reports::writeFile(sequenceFileOf(target), waiting.sequence);
  reports::writeFile(target, changed);
  moveProgram(waiting.path, target);
  removeMoved(waiting.path);
  if (!waiting.sequence.empty()) removeMoved(sequenceFileOf(waiting.path));
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

std::vector<Triaged> triage(const std::filesystem::path& folder, const ReplayOptions& options, bool dryRun) {
  std::error_code error;
  FUSER_USER_CHECK(std::filesystem::is_directory(folder, error), folder.string(), " is not a folder");
  std::vector<Waiting> all;
  std::vector<PoolTask> tasks;
  std::map<std::string, std::vector<size_t>> byTask;  // equal sequences are one task
  for (Stage stage : kStages) {
    for (const std::filesystem::path& path : casesIn(folder / stageFolder(stage))) {
      Waiting waiting{path, {}, 1, sequenceBeside(path)};
      waiting.entry.name = waiting.entry.movedTo = path.filename().string();
      waiting.entry.from = waiting.entry.to = stage;
      if (waiting.entry.name.rfind("flaky-", 0) == 0) waiting.runs = kFlakyRuns;
      const std::string task = printTask(waiting.task());
      byTask[task].push_back(all.size());
      for (int run = 0; run < waiting.runs; ++run) tasks.emplace_back(task, true);
      all.push_back(std::move(waiting));
    }
  }
  TaskSettings settings;
  settings.judge = options.judge;
  settings.judge.memoryMb = options.limits.residentMb;
  const auto limitsOf = [&](const std::string& task) {
    // Of a sequence each case has its time.
    Limits limits = options.limits;
    const JudgingTask parsed = parseTask<JudgingTask>(task);
    const TextsTask* sequence = std::get_if<TextsTask>(&parsed);
    if (sequence) limits.seconds *= static_cast<double>(std::max<size_t>(sequence->texts.size(), 1));
    return limits;
  };
  size_t handedOut = 0;
  WorkerPool(options.jobs, limitsOf, loggingWork(settings), options.log)
      .run([&]() { return handedOut < tasks.size() ? std::optional<PoolTask>(tasks[handedOut++]) : std::nullopt; },
           [&](const Outcome& outcome) {
             for (size_t one : byTask.at(outcome.task)) recordOutcome(outcome, all[one]);
           });
  std::vector<Triaged> entries;
  for (Waiting& waiting : all) {
    move(folder, waiting, dryRun);
    entries.push_back(waiting.entry);
  }
  return entries;
}

}  // namespace fuser::fuzz
