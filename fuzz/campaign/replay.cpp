// fuserfuzz replay: the verdict of each file, in order.

#include <algorithm>
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

constexpr const char* kOther = "the file expects another verdict";

bool isOther(const CaseVerdict& verdict) {
  return !isFinding(verdict.kind) && !verdict.expected && !isUnreadable(verdict);
}

bool isFailed(const CaseVerdict& verdict) {
  return !isUnreadable(verdict) && (isFinding(verdict.kind) || !verdict.expected);
}

bool isOpen(const CaseVerdict& verdict) {
  return verdict.kind == VerdictKind::Undecided || verdict.kind == VerdictKind::Unsupported;
}

std::string wordOf(const CaseVerdict& verdict) {
  if (isUnreadable(verdict)) return "NO CASE";
  if (isFailed(verdict)) return "FAILED";
  return isOpen(verdict) ? std::string(verdictName(verdict.kind)) : "ok";
}

std::string linesOf(const CaseVerdict& verdict) {
  if (isUnreadable(verdict)) return verdict.detail;
  const bool died = verdict.kind == VerdictKind::Crash || verdict.kind == VerdictKind::Hang;
  return died ? shortStack(toString(verdict)) : toString(verdict);
}

std::string figuresOf(const CaseVerdict& verdict) {
  return concat("elements ", verdict.elements.judged, ", decided ", verdict.elements.decided, "; kernels ",
                verdict.kernels);
}

void printVerdict(const std::string& line, const CaseVerdict& verdict, const ReplayOptions& options, const Log& print) {
  const bool isWrong = verdict.kind != VerdictKind::Agrees, other = isOther(verdict);
  const std::string verdictText = linesOf(verdict);
  if (!options.verbose) {
    print(line + (isWrong ? ": " + verdictText.substr(0, verdictText.find('\n')) : "") +
          (other ? concat("; ", kOther) : ""));
    return;
  }
  print(line);
  if (isWrong) print(indented(verdictText));
  if (other) print(concat("    ", kOther));
}

void count(const CaseVerdict& verdict, double seconds, Tally& tally) {
  const bool unreadable = isUnreadable(verdict), failed = isFailed(verdict);
  ++tally.files;
  tally.unreadable += unreadable;
  tally.failed += failed;
  tally.timeouts += verdict.kind == VerdictKind::Hang;
  tally.memory += verdict.kind == VerdictKind::OutOfMemory;
  tally.undecided += verdict.kind == VerdictKind::Undecided;
  tally.judged += verdict.kind != VerdictKind::Unsupported && !unreadable;
  tally.seconds += seconds;
  tally.unsupported += verdict.kind == VerdictKind::Unsupported;
  tally.ok += !failed && !unreadable && !isOpen(verdict);
}

void reportFile(const std::string& file, const Outcome& outcome, const ReplayOptions& options, const Log& print,
                Tally& tally) {
  const CaseVerdict verdict = resultOf(outcome).verdict;
  const bool unreadable = isUnreadable(verdict), failed = isFailed(verdict);
  count(verdict, outcome.seconds, tally);
  if (options.json) {
    print(reports::toJsonText(
        ReplayedFile{file, std::string(verdictName(verdict.kind)), failed || unreadable, outcome.seconds, verdict}));
    return;
  }
  char beginning[40];
  std::snprintf(beginning, sizeof beginning, "%-11s %8.3f s  ", wordOf(verdict).c_str(), outcome.seconds);
  printVerdict(concat(beginning, file, verdict.probed ? "  (with probes)" : ""), verdict, options, print);
  if (!options.verbose || unreadable) return;
  print(concat("    ", verdictName(verdict.kind), "; ", figuresOf(verdict)));
  print("    " + stages(verdict));
}

int exitCodeOf(const Tally& tally) {
  if (tally.failed == 0) return tally.unreadable == 0 ? kExitClean : kExitSetup;
  if (tally.failed == tally.timeouts) return kExitTimeout;
  return tally.failed == tally.memory ? kExitMemory : kExitFinding;
}

// The cases one after the other in one process; the last one's verdict.
Outcome outcomeOf(const TextsTask& task, const ReplayOptions& options) {
  TaskSettings settings;
  settings.judge = options.judge;
  settings.judge.memoryMb = options.limits.residentMb;
  Limits limits = options.limits;
  limits.seconds *= static_cast<double>(std::max<size_t>(task.texts.size(), 1));
  return runAlone(printTask(JudgingTask(task)), limits, loggingWork(settings), options.log);
}

int replayTexts(const std::string& name, const TextsTask& task, const ReplayOptions& options, const Log& print) {
  Tally tally;
  reportFile(name, outcomeOf(task, options), options, print, tally);
  return exitCodeOf(tally);
}

}  // namespace

reports::ExplainedVerdict toldVerdict(const CaseVerdict& verdict) {
  const std::string lines = linesOf(verdict);
  const size_t end = std::min(lines.find('\n'), lines.size());
  reports::ExplainedVerdict told;
  told.word = wordOf(verdict);
  told.line = concat(lines.substr(0, end), isOther(verdict) ? concat("; ", kOther) : "");
  told.detail = lines.substr(std::min(end + 1, lines.size()));
  told.figures = figuresOf(verdict);
  if (!verdict.wrongValue.empty()) told.wrongValue = "%" + verdict.wrongValue;
  return told;
}

JudgedText judgeText(const std::string& text, const ReplayOptions& options) {
  const CaseVerdict verdict = resultOf(outcomeOf(TextsTask{{text}}, options)).verdict;
  Tally tally;
  count(verdict, 0, tally);
  return {verdict, toldVerdict(verdict), exitCodeOf(tally)};
}

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
