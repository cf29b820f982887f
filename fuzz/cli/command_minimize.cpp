// fuserfuzz minimize: the smallest case that shows the same finding.

#include <filesystem>
#include <memory>

#include "fuser/command_line/numbers.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/sha1.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "fuzz/minimize/minimize.h"

namespace fuser::fuzz {
namespace {

namespace fs = std::filesystem;

struct MinimizeArguments {
  std::vector<std::string> files;
  std::string out = ".";
  double seconds = 60;
  Limits limits{10, 4096};
  bool noProbes = false, quiet = false;
};

// A file where --out names one, else minimized-from-<sha1>.fusion in that folder.
fs::path placeOf(const MinimizeArguments& arguments, const std::string& given) {
  const fs::path out = arguments.out;
  if (out.extension() == ".fusion" && !fs::is_directory(out)) {
    FUSER_USER_CHECK(arguments.files.size() == 1, "--out ", out.string(), " is one file for ", arguments.files.size(),
                     " cases: name a folder");
    makeWritableFolder(out.has_parent_path() ? out.parent_path() : fs::path("."));
    return out;
  }
  makeWritableFolder(out);
  return out / ("minimized-from-" + sha1(given) + ".fusion");
}

// Findings of other buckets, beside the result.
void keepOthers(const Minimized& result, const fs::path& folder) {
  for (const OtherFinding& other : result.others) {
    const std::optional<VerdictKind> kind = verdictFromName(other.bucket.kind);
    const std::string prefix(kind ? artifactPrefix(*kind) : "finding");
    const fs::path path = folder / (prefix + "-" + sha1(other.text) + ".fusion");
    reports::writeFile(path, other.text);
    printLine(concat("  met on the way: ", toString(other.bucket), "\n    ", path.string()));
  }
}

bool minimizeFile(const MinimizeArguments& arguments, const std::string& file, spdlog::logger* log) {
  const std::string given = readTextFile(file);
  const fs::path place = placeOf(arguments, given);
  MinimizeSettings settings;
  settings.seconds = arguments.seconds;
  settings.limits = arguments.limits;
  settings.judge.probes = !arguments.noProbes;
  settings.judge.memoryMb = arguments.limits.residentMb;
  settings.bestSoFar = place;
  settings.interrupted = interrupted;
  if (!arguments.quiet) settings.log = log;
  printLine(concat("minimizing ", file));
  const Minimized result = minimize(given, settings);
  if (!result.problem.empty()) {
    printLine(concat("  NOT MINIMIZED: ", result.problem));
    return false;
  }
  char figures[200];
  std::snprintf(figures, sizeof figures, "  %zu -> %zu expressions, %lld -> %lld elements, %zu tried, %.1f s%s",
                result.before.expressions, result.after.expressions, static_cast<long long>(result.before.elements),
                static_cast<long long>(result.after.elements), result.tried, result.seconds,
                result.finished ? "" : " (stopped: it may get smaller yet)");
  printLine(figures);
  printLine(concat("  bucket: ", toString(result.bucket), "\n  ", place.string()));
  keepOthers(result, place.has_parent_path() ? place.parent_path() : fs::path("."));
  if (!arguments.quiet) printLine("\n" + result.text);
  return true;
}

}  // namespace

Command addMinimizeCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("minimize", "make findings as small as they get, in the same bucket");
  const auto arguments = std::make_shared<MinimizeArguments>();
  command->add_option("files", arguments->files, ".fusion files that are findings")->required();
  command
      ->add_option("--out", arguments->out,
                   "the result's file (*.fusion), or a folder for minimized-from-<sha1>.fusion")
      ->capture_default_str();
  takesSeconds(command->add_option("--max-total-time", arguments->seconds, "for each file: 60, 5m"), 0.1, 1e6)
      ->type_name("SECONDS")
      ->capture_default_str();
  takesSeconds(command->add_option("--timeout", arguments->limits.seconds, "for one candidate"), 0.01, 1e6)
      ->type_name("SECONDS")
      ->capture_default_str();
  takesCount(command->add_option("--rss-limit-mb", arguments->limits.residentMb,
                                 "resident size of a candidate's process"),
             1)
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--quiet,-q", arguments->quiet, "figures alone, no progress");
  addNoProbes(command, arguments->noProbes);
  command->footer(R"(
Examples
  fuserfuzz minimize out/mismatch-….fusion --out small         the smallest case in the same bucket
  fuserfuzz minimize out/mismatch-….fusion --out small.fusion --max-total-time 5m   into a file of that name
)");
  return {command, [arguments](const LogPtr& log) {
            watchInterrupts();
            bool all = true;
            for (const std::string& file : arguments->files) {
              if (interrupted()) break;
              all &= minimizeFile(*arguments, file, log.get());
            }
            if (interrupted()) return kExitInterrupted;
            FUSER_USER_CHECK(all, "not every file could be minimized");
            return kExitClean;
          }};
}

}  // namespace fuser::fuzz
