// fuserfuzz minimize: the smallest case that shows the same finding.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "fuser/command_line/numbers.h"
#include "fuser/text/read_file.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/sha1.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "fuzz/minimize/minimize.h"

namespace fuser::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandard = "-";  // standard input, standard output

struct MinimizeArguments {
  std::vector<std::string> files;
  std::string out = ".";
  bool isToStdout() const { return out == kStandard; }
  double seconds = 60;
  Limits limits{10, 4096};
  TargetArguments target;
  bool noProbes = false, quiet = false;
};

// What a finding's file is called by: a campaign's has it in its name, and calls the result after it, too.
std::string sha1Of(const std::string& file, const std::string& text) {
  constexpr size_t kDigits = 40;
  const std::string stem = fs::path(file).stem().string();
  if (stem.size() > kDigits && stem[stem.size() - kDigits - 1] == '-') {
    const std::string last = stem.substr(stem.size() - kDigits);
    if (last.find_first_not_of("0123456789abcdef") == std::string::npos) return last;
  }
  return sha1(text);
}

// A file where --out names one, else minimized-from-<sha1>.fusion in that folder; empty: standard output.
fs::path outputPathOf(const MinimizeArguments& arguments, const std::string& file, const std::string& text) {
  const fs::path out = arguments.out;
  const bool isFile = out.extension() == ".fusion" && !fs::is_directory(out);
  FUSER_USER_CHECK(out.extension().empty() || isFile || arguments.isToStdout() || fs::is_directory(out), "--out ",
                   out.string(), " is neither a .fusion file nor a folder");
  FUSER_USER_CHECK(arguments.files.size() == 1 || !(isFile || arguments.isToStdout()), "--out ", out.string(),
                   " is one place for ", arguments.files.size(), " cases: name a folder");
  if (arguments.isToStdout()) return {};
  if (isFile) {
    makeWritableFolder(out.has_parent_path() ? out.parent_path() : fs::path("."));
    return out;
  }
  makeWritableFolder(out);
  return out / ("minimized-from-" + sha1Of(file, text) + ".fusion");
}

// Findings of other buckets, beside the result.
void keepOthers(const Minimized& result, const fs::path& folder) {
  for (const OtherFinding& other : result.others) {
    const std::optional<VerdictKind> kind = verdictFromName(other.bucket.kind);
    const std::string prefix(kind ? artifactPrefix(*kind) : "finding");
    const fs::path path = folder / (prefix + "-" + sha1(other.text) + ".fusion");
    reports::writeFile(path, other.text);
    printLine(concat("  met on the way: ", toString(other.bucket), "\n    ", path.string()));
    if (!other.failedCheck.empty()) printLine(concat("    a change of it cannot be built: ", other.failedCheck));
  }
}

// Standard output holds the case alone where that is its place; what else there is to say is logged.
void showResult(const MinimizeArguments& arguments, const Minimized& result, const fs::path& place,
                spdlog::logger* log) {
  const auto say = [&](const std::string& line) {
    arguments.isToStdout() ? logLine(log, LogLevel::Info, line) : printLine(line);
  };
  char figures[200];
  std::snprintf(figures, sizeof figures, "  %zu -> %zu expressions, %lld -> %lld elements, %zu tried, %.1f s%s",
                result.before.expressions, result.after.expressions, static_cast<long long>(result.before.elements),
                static_cast<long long>(result.after.elements), result.tried, result.seconds,
                result.finished ? "" : " (stopped at a limit; it may get smaller)");
  say(figures);
  say(concat("  bucket: ", toString(result.bucket)));
  if (arguments.isToStdout()) {
    for (const OtherFinding& other : result.others) {
      say(concat("  met on the way: ", toString(other.bucket), " (--out FOLDER keeps it)"));
    }
    printText(result.text);
    return;
  }
  printLine(concat("  ", place.string()));
  keepOthers(result, place.has_parent_path() ? place.parent_path() : fs::path("."));
  if (!arguments.quiet) printLine("\n" + result.text);
}

bool minimizeFile(const MinimizeArguments& arguments, const std::string& file, spdlog::logger* log) {
  const bool isStdin = file == kStandard;
  const std::string name = isStdin ? "<stdin>" : file;
  const std::string text = isStdin ? readFusionText(std::cin) : readTextFile(file);
  const fs::path place = outputPathOf(arguments, file, text);
  MinimizeSettings settings;
  settings.seconds = arguments.seconds;
  settings.limits = arguments.limits;
  arguments.target.resolve(settings.judge, settings.limits);
  settings.judge.probes = !arguments.noProbes;
  settings.judge.memoryMb = arguments.limits.residentMb;
  settings.bestSoFar = place;
  settings.interrupted = interrupted;
  if (!arguments.quiet) settings.log = log;
  if (!arguments.isToStdout()) printLine(concat("minimizing ", name));
  const Minimized result = minimize(text, settings);
  if (!result.problem.empty()) {
    logLine(log, LogLevel::Error, concat("fuserfuzz: cannot minimize ", name, ": ", result.problem));
    return false;
  }
  showResult(arguments, result, place, log);
  return true;
}

}  // namespace

Command addMinimizeCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("minimize", "reduce findings to the smallest case in the same bucket");
  const auto arguments = std::make_shared<MinimizeArguments>();
  command->add_option("files", arguments->files, ".fusion files with findings, or - for one on standard input")
      ->required();
  command
      ->add_option("--out", arguments->out,
                   "the result's file (*.fusion), a folder for minimized-from-<sha1>.fusion, or - for standard output")
      ->capture_default_str();
  takesSeconds(command->add_option("--max-total-time", arguments->seconds, "time limit of each file: 60, 5m"), 0.1, 1e6)
      ->type_name("SECONDS")
      ->capture_default_str();
  takesSeconds(command->add_option("--timeout", arguments->limits.seconds, "time limit of a candidate"), 0.01, 1e6)
      ->type_name("SECONDS")
      ->capture_default_str();
  takesCount(command->add_option("--rss-limit-mb", arguments->limits.residentMb,
                                 "memory limit of a candidate's process (resident size)"),
             1)
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--quiet,-q", arguments->quiet, "print only the figures, no progress");
  arguments->target.addTo(command);
  addNoProbes(command, arguments->noProbes);
  command->footer(R"(
Examples
  fuserfuzz minimize out/mismatch-….fusion --out small         the smallest case in the same bucket
  fuserfuzz minimize out/mismatch-….fusion --out small.fusion --max-total-time 5m   into a file of that name
  fuserfuzz minimize --out - - < out/mismatch-….fusion         from standard input to standard output, and nothing else

Exit codes
  0 each is minimised   1 usage or set-up, a file that is no finding   72 interrupted
)");
  return {command, [arguments](const LogPtr& log) {
            watchInterrupts();
            FUSER_USER_CHECK(std::count(arguments->files.begin(), arguments->files.end(), kStandard) <= 1,
                             "'-' appears twice, and standard input holds one case");
            bool all = true;
            for (const std::string& file : arguments->files) {
              if (interrupted()) break;
              all &= minimizeFile(*arguments, file, log.get());
            }
            if (interrupted()) return kExitInterrupted;
            return all ? kExitClean : kExitSetup;
          }};
}

}  // namespace fuser::fuzz
