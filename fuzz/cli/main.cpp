// fuserfuzz: its commands, help and exit codes. Options as libFuzzer and OSS-Fuzz users know them.

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>

#include "fuser/command_line/usage.h"
#include "fuser/log/log.h"
#include "fuser/support/check.h"
#include "fuser/support/memory_reserve.h"
#include "fuser/support/sanitizers.h"
#include "fuser/text/op_reference.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kExamples = R"(
Examples
  fuserfuzz run --runs 20k --seed 1 --jobs 2 --out out      a campaign; out/report.html, out/campaign.log, findings
  fuserfuzz run --max-total-time 8h --jobs 2 --out out      a night, another seed every time
  fuserfuzz run --resume --out out                          goes on after Ctrl-C, kill -9 or a power cut
  fuserfuzz replay out/mismatch-….fusion                    the verdict, the worst elements, the first wrong op
  fuserfuzz minimize out/mismatch-….fusion --out small      the smallest case in the same bucket
  fuserfuzz run --help                                      each command has examples of its own

Standard output is a command's result. The log is on standard error (run: and in out/campaign.log), from the level
--log-level or FUSER_LOG on: debug has each verdict of a worker, trace each pass of a compilation.
A whole number may be 20k, 1.5m or 1e6, a time 90, 90s, 10m, 8h or 1h30m.

Exit codes
  0 clean   1 usage or set-up ("SETUP FAILURE: …")   70 only timeouts   71 only out of memory   72 interrupted   77 findings
)";

std::vector<Command> addCommands(CLI::App& app) {
  return {
      addRunCommand(app),      addEnumerateCommand(app), addReplayCommand(app),   addCompareCommand(app),
      addTriageCommand(app),   addGenerateCommand(app),  addExportCommand(app),   addImportCommand(app),
      addMinimizeCommand(app), addReportCommand(app),    addMergeCommand(app),    addPerfCheckCommand(app),
      addEstimateCommand(app), addTimeCommand(app),      addSelftestCommand(app), addProbeTargetCommand(app),
      addExplainCommand(app),  addBisectCommand(app),
  };
}

// A worker that runs out of stack would look like a crash.
void checkStack() {
  constexpr rlim_t kLeast = 1 << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  FUSER_USER_CHECK(limit.rlim_cur >= kLeast, "the stack is limited to ", limit.rlim_cur >> 10, " KiB, and ",
                   kLeast >> 10, " are needed; type: ulimit -s 8192");
}

int commandLine(int argc, char** argv) {
  CLI::App app("Compiles random fusions with fuser and judges each output element against LibTorch.", "fuserfuzz");
  app.footer(kExamples);
  app.require_subcommand(1);
  const std::vector<Command> commands = addCommands(app);
  std::optional<std::string> logLevel;
  for (const Command& command : commands) {
    command.app->add_option("--log-level", logLevel, kLogLevelHelp)->type_name("LEVEL");
  }
  addVersion(app, versionOfProgram());
  const auto listOps = [] {
    printText(opList());
    throw CLI::Success();
  };
  app.add_flag_callback("--list-ops", listOps, "print one line per op: operands, attributes, dtypes");
  addConfigFile(app);
  addManual(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return exitOfUsage(app, error) == 0 ? kExitClean : kExitSetup;
  }
  keepMemoryForErrors();
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error like a full disk
  LogPtr log = logToStderr(LogLevel::Info);
  try {
    log = logToStderr(chosenLogLevel(logLevel));
    for (const Command& command : commands) {
      if (!command.app->parsed()) continue;
      checkStack();
      const int code = command.run(log);
      const bool written = std::fflush(stdout) == 0 && !std::ferror(stdout);
      // `fuserfuzz … | head` has read what it wants.
      // Nor does one whose terminal has gone: what it leaves is in files.
      FUSER_USER_CHECK(written || errno == EPIPE || code == kExitInterrupted,
                       "cannot write the output; is the disk full?");
      return code;
    }
  } catch (const UserError& error) {
    logLine(log.get(), LogLevel::Error, concat("SETUP FAILURE: ", error.what()));
  } catch (const std::bad_alloc&) {
    logLine(log.get(), LogLevel::Error,
            "SETUP FAILURE: there is no memory left for fuserfuzz; raise its limit (ulimit -v), or take fewer --jobs");
  } catch (const std::exception& error) {
    logLine(log.get(), LogLevel::Error, concat("SETUP FAILURE: internal error in fuserfuzz: ", error.what()));
  }
  return kExitSetup;
}

}  // namespace
}  // namespace fuser::fuzz

#ifdef FUSER_COVERAGE
extern "C" void __gcov_dump();  // gcc's: writes what was counted
#endif

int main(int argc, char** argv) {
  const int code = fuser::fuzz::commandLine(argc, argv);
  if (fuser::kAddressSanitizer) return code;  // which looks for leaks then
  // LibTorch's destructors would take the tables of its operators apart one by one: 0.08 s, a third of a short command.
#ifdef FUSER_COVERAGE
  __gcov_dump();
#endif
  std::fflush(nullptr);
  _exit(code);
}
