// fuserfuzz replay: the verdict of each file, in order.

#include <cstdio>
#include <map>

#include "fuzz/campaign/campaign.h"
#include "fuzz/isolate/short_stack.h"
#include "reports/fields_json.h"

namespace fuser::fuzz {
namespace {

// A line of --json.
struct ReplayedFile {
  std::string file;
  std::string kind;     // of the verdict: "agrees", "differs", …
  bool failed = false;  // a finding, not what the file expects, or no case
  double seconds = 0;
  CaseVerdict verdict;
  bool operator==(const ReplayedFile&) const = default;
};
REPORTS_FIELDS(ReplayedFile, file, kind, failed, seconds, verdict)

struct Tally {
  int files = 0, ok = 0, failed = 0, timeouts = 0, memory = 0, undecided = 0, unsupported = 0, judged = 0;
  int unreadable = 0;  // no case: nothing is said of the compiler
  double seconds = 0;
};

std::string indented(const std::string& text) {
  std::string result = "    ";
  for (char c : text) result += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return result;
}

std::string stages(const CaseVerdict& verdict) {
  std::string text;
  for (const auto& [stage, seconds] : verdict.seconds) {
    char entry[80];
    std::snprintf(entry, sizeof entry, "%s%s %.1f ms", text.empty() ? "" : ", ", stage.c_str(), 1e3 * seconds);
    if (seconds >= 0.0005) text += entry;
  }
  return text;
}

// A text that does not parse is rejected before any of its runs.
bool isUnreadable(const CaseVerdict& verdict) {
  return verdict.kind == VerdictKind::Rejected && verdict.run < 0 && !verdict.expected;
}

void printVerdict(const std::string& line, const CaseVerdict& verdict, const ReplayOptions& options, const Log& print) {
  const bool isWrong = verdict.kind != VerdictKind::Agrees;
  std::string verdictText = isUnreadable(verdict) ? verdict.detail : toString(verdict);
  if (verdict.kind == VerdictKind::Crash || verdict.kind == VerdictKind::Hang) verdictText = shortStack(verdictText);
  const bool other = !isFinding(verdict.kind) && !verdict.expected && !isUnreadable(verdict);
  constexpr const char* kOther = "the file expects another verdict";
  if (!options.verbose) {
    print(line + (isWrong ? ": " + verdictText.substr(0, verdictText.find('\n')) : "") +
          (other ? concat("; ", kOther) : ""));
    return;
  }
  print(line);
  if (isWrong) print(indented(verdictText));
  if (other) print(concat("    ", kOther));
}

void reportFile(const std::string& file, const Outcome& outcome, const ReplayOptions& options, const Log& print,
                Tally& tally) {
  const CaseVerdict verdict = resultOf(outcome).verdict;
  const bool unreadable = isUnreadable(verdict);
  const bool failed = !unreadable && (isFinding(verdict.kind) || !verdict.expected);
  ++tally.files;
  tally.unreadable += unreadable;
  tally.failed += failed;
  tally.timeouts += verdict.kind == VerdictKind::Hang;
  tally.memory += verdict.kind == VerdictKind::OutOfMemory;
  tally.undecided += verdict.kind == VerdictKind::Undecided;
  tally.judged += verdict.kind != VerdictKind::Unsupported && !unreadable;
  tally.seconds += outcome.seconds;
  const bool open = verdict.kind == VerdictKind::Undecided || verdict.kind == VerdictKind::Unsupported;
  tally.unsupported += verdict.kind == VerdictKind::Unsupported;
  tally.ok += !failed && !unreadable && !open;
  if (options.json) {
    print(reports::toJsonText(
        ReplayedFile{file, std::string(verdictName(verdict.kind)), failed || unreadable, outcome.seconds, verdict}));
    return;
  }
  char beginning[40];
  const std::string word = unreadable ? "NO CASE"
                           : failed   ? "FAILED"
                           : open     ? std::string(verdictName(verdict.kind))
                                      : "ok";
  std::snprintf(beginning, sizeof beginning, "%-11s %8.3f s  ", word.c_str(), outcome.seconds);
  printVerdict(concat(beginning, file, verdict.probed ? "  (with probes)" : ""), verdict, options, print);
  if (!options.verbose || unreadable) return;
  char figures[200];
  std::snprintf(figures, sizeof figures, "    %s; elements %lld, decided %lld; kernels %lld",
                std::string(verdictName(verdict.kind)).c_str(), static_cast<long long>(verdict.elements.judged),
                static_cast<long long>(verdict.elements.decided), static_cast<long long>(verdict.kernels));
  print(figures);
  print("    " + stages(verdict));
}

int exitCodeOf(const Tally& tally) {
  if (tally.failed == 0) return tally.unreadable == 0 ? kExitClean : kExitSetup;
  if (tally.failed == tally.timeouts) return kExitTimeout;
  return tally.failed == tally.memory ? kExitMemory : kExitFinding;
}

// The cases one after the other in one process; the last one's verdict.
int replayTexts(const std::string& name, const TextsTask& task, const ReplayOptions& options, const Log& print) {
  TaskSettings settings;
  settings.judge = options.judge;
  settings.judge.memoryMb = options.limits.residentMb;
  Limits limits = options.limits;
  limits.seconds *= static_cast<double>(std::max<size_t>(task.texts.size(), 1));
  const Outcome outcome = runAlone(printTask(JudgingTask(task)), limits, loggingWork(settings), options.log);
  Tally tally;
  reportFile(name, outcome, options, print, tally);
  return exitCodeOf(tally);
}

}  // namespace

int replaySequence(const std::filesystem::path& path, const ReplayOptions& options, const Log& print) {
  const std::string text = readTextFile(path.string());
  FUSER_USER_CHECK(text.rfind(kSequenceMark, 0) == 0, path.string(), " is not a sequence: its first line is not '",
                   kSequenceMark, "'");
  const TextsTask task{textsOf(text)};
  if (!options.json) print(concat("sequence of ", task.texts.size(), " cases; the verdict is the last one's"));
  return replayTexts(path.string(), task, options, print);
}

int replayText(const std::string& name, const std::string& text, const ReplayOptions& options, const Log& print) {
  return replayTexts(name, TextsTask{{text}}, options, print);
}

int replay(const std::vector<std::filesystem::path>& paths, const ReplayOptions& options, const Log& print) {
  const std::vector<std::filesystem::path> files = fusionFiles(paths);
  FUSER_USER_CHECK(!files.empty(),
                   "nothing to replay: name .fusion files, folders with .fusion files, or - for standard input");
  TaskSettings settings;
  settings.judge = options.judge;
  settings.judge.memoryMb = options.limits.residentMb;
  Tally tally;
  // Lines come in the files' order, whatever finishes first.
  std::map<std::string, Outcome> waiting;
  const auto taskOf = [&](size_t file) { return printTask(SingleTask(FileTask{files[file].string()})); };
  size_t handedOut = 0, printed = 0;
  WorkerPool(
      options.jobs, [&](const std::string&) { return options.limits; }, loggingWork(settings), options.log)
      .run(
          [&]() -> std::optional<PoolTask> {
            if (handedOut == files.size()) return std::nullopt;
            return taskOf(handedOut++);
          },
          [&](const Outcome& outcome) {
            waiting[outcome.task] = outcome;
            while (printed < files.size()) {
              const auto next = waiting.find(taskOf(printed));
              if (next == waiting.end()) break;
              reportFile(files[printed].string(), next->second, options, print, tally);
              ++printed;
            }
          });
  char summary[200];
  std::snprintf(summary, sizeof summary, "%d file%s: %d ok, %d failed, %d undecided, %d unsupported%s; %.1f s",
                tally.files, tally.files == 1 ? "" : "s", tally.ok, tally.failed, tally.undecided, tally.unsupported,
                tally.unreadable == 0 ? "" : concat(", ", tally.unreadable, " no case").c_str(), tally.seconds);
  if (!options.json) print(summary);
  FUSER_USER_CHECK(tally.judged > 0 || tally.unreadable > 0, "nothing was judged");
  return exitCodeOf(tally);
}

}  // namespace fuser::fuzz
