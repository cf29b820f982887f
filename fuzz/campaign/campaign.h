#pragma once
// A campaign judges many cases in forked workers, writes findings to files, and reports figures. A replay judges the
// given files.

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fuser/log/log.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/known_issues.h"
#include "fuzz/campaign/ledger.h"
#include "fuzz/campaign/perform_task.h"
#include "fuzz/campaign/progress.h"
#include "fuzz/campaign/shard.h"
#include "fuzz/isolate/worker_pool.h"
#include "reports/campaign_summary.h"
#include "reports/explained_case.h"

namespace fuser::fuzz {

// Exit codes, the same as libFuzzer's and OSS-Fuzz's.
inline constexpr int kExitClean = 0, kExitSetup = 1, kExitTimeout = 70, kExitMemory = 71, kExitInterrupted = 72,
                     kExitFinding = 77;

struct CampaignOptions {
  uint64_t seed = 1;
  uint64_t runs = 0;        // number of cases, of all parts; 0: no limit
  Shard shard;              // the part of the campaign that runs here; mergeCampaigns() joins them
  double maxTotalTime = 0;  // in seconds, including those before --resume; 0: no limit
  int jobs = 1;
  uint64_t casesAtOnce = 1;    // on another compiler: their programs may be compiled in one
  uint64_t maxFindings = 100;  // the campaign stops after this many new findings
  Limits limits;
  // The share of cases that are mutants of those that showed something new (feedback.h), with cases of what none had;
  // 0: no feedback, and each case is a function of seed and number.
  double feedback = 0;
  std::filesystem::path workingCorpus;  // with feedback; created if missing. Empty: out / "working"
  bool compilers = true;        // run kBatch of every kBatchStride cases on cpu and ptx, too
  TaskSettings task;            // `seed` replaces its seed
  std::filesystem::path out;    // for ledger, reports, campaign.log, artifacts; created if missing. Empty: no files
  bool resume = false;          // continue the campaign in `out`; its runs and time limit are the defaults
  bool minimize = true;         // minimize findings at the end (chooseForMinimizing()); requires `out`
  double minimizeSeconds = 60;  // per finding
  int64_t maxArtifactBytes = int64_t{256} << 20;
  std::vector<std::filesystem::path> corpora;  // judged first; only read
  // A folder to which minimized cases are added, named by their content; created if missing. Empty: none. It is the
  // only place outside `out` to which a campaign writes.
  std::filesystem::path growCorpus;
  std::vector<KnownIssue> knownIssues;
  std::map<std::string, std::string> arguments;  // stored in the ledger for --resume: argumentsOf()
  std::vector<std::string> generatorFlags;       // the generator's arguments: "--only", "add"
  std::string program = "fuserfuzz";             // the program's name in printed command lines
  LogPtr log;  // in addition to campaign.log: warnings, and what workers and compilers do (Debug, Trace); may be null
  // Called often; if it returns true, a status line goes to `log` and to campaign.log (Info). May be empty.
  std::function<bool()> statusRequested;
  // Called up to four times per second, to update a terminal; may be empty. Independently, campaign.log gets a progress
  // line every five seconds.
  std::function<void(const Status&)> show;
};

// "0.1.0 build ID", where ID is the linker's build id of this program.
std::string versionOfProgram();

// What the results of a campaign depend on; it can only continue with an equal stamp.
Ledger::Stamp stampOf(const CampaignOptions& options);

// True once a signal asks the campaign to stop: it starts no more tasks and writes the report.
using Interrupt = std::function<bool()>;
// Prints a line of the command's result to standard output; independent of the log level.
using Log = std::function<void(const std::string& line)>;

// Runs or resumes a campaign. campaign.log gets the printed lines at level Info, with whole reasons and command lines
// that run in its folder, and progress lines. A UserError is a set-up failure: nothing to judge, nothing judged, or a
// folder that is not writable or holds another campaign.
reports::CampaignSummary runCampaign(const CampaignOptions& options, const Interrupt& interrupted, const Log& print);
// Known findings do not count. kExitSetup if nothing was judged, or a check could not run.
int exitCode(const reports::CampaignSummary& summary);

struct ReplayOptions {
  int jobs = 1;
  Limits limits;
  JudgeSettings judge;
  bool verbose = true;  // also print details of files that agree, such as the time by stage
  bool json = false;    // print one line of JSON per file instead: file, kind, failed, seconds, verdict
  LogPtr log;           // gets what workers and compilers do (Debug, Trace); may be null
};
// Judges files, and the .fusion files below folders in order of name; prints the verdicts. Returns an exit code.
int replay(const std::vector<std::filesystem::path>& paths, const ReplayOptions& options, const Log& print);

// Judges a case that has no file; `name` stands for the file's name in the output.
int replayText(const std::string& name, const std::string& text, const ReplayOptions& options, const Log& print);

// The words of a verdict that replay prints, without times.
reports::ExplainedVerdict toldVerdict(const CaseVerdict& verdict);
// The same for other printers: the verdict, its words and the exit code of replayText().
struct JudgedText {
  CaseVerdict verdict;
  reports::ExplainedVerdict told;
  int exitCode = kExitClean;
};
JudgedText judgeText(const std::string& text, const ReplayOptions& options);

// Judges the cases of a sequence file (the artifact of a case that only fails after others) in order, in one process.
// Returns the exit code of the last one.
int replaySequence(const std::filesystem::path& path, const ReplayOptions& options, const Log& print);

}  // namespace fuser::fuzz
