#pragma once
// A campaign: many cases through forked workers, findings into files, figures into a report. And a replay: given files,
// each with its verdict.

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
#include "fuzz/isolate/worker_pool.h"
#include "reports/campaign_summary.h"

namespace fuser::fuzz {

// Exit codes that users of libFuzzer and OSS-Fuzz know.
inline constexpr int kExitClean = 0, kExitSetup = 1, kExitTimeout = 70, kExitMemory = 71, kExitInterrupted = 72,
                     kExitFinding = 77;

struct CampaignOptions {
  uint64_t seed = 1;
  uint64_t runs = 0;        // cases; 0: until the time is up
  double maxTotalTime = 0;  // seconds, those before --resume included; 0: until the cases are done
  int jobs = 1;
  uint64_t maxFindings = 100;  // new ones; then it stops
  Limits limits;
  bool compilers = true;      // of every kBatchStride cases kBatch through clang and NVRTC
  TaskSettings task;          // its seed is set from `seed`
  std::filesystem::path out;  // ledger, reports, campaign.log, artifacts; made where missing. Empty: nothing is kept
  bool resume = false;        // go on with the campaign in `out`; runs and time are its own where none are given
  bool minimize = true;        // at the end, those of chooseForMinimizing(), where `out` is set
  double minimizeSeconds = 60;  // a finding
  int64_t maxArtifactBytes = int64_t{256} << 20;
  std::vector<std::filesystem::path> corpora;  // judged first, and never written to
  // A folder that minimised cases are added to, named by their content; made where missing. Empty: none grows. It is
  // the one place outside `out` that a campaign writes to.
  std::filesystem::path growCorpus;
  std::vector<KnownIssue> knownIssues;
  std::map<std::string, std::string> arguments;  // kept in the ledger for who goes on: argumentsOf()
  std::vector<std::string> generatorFlags;  // arguments that give the generator options: "--only", "add"
  std::string program = "fuserfuzz";  // in the lines that are printed to tell how to replay
  LogPtr log;  // beside campaign.log in `out`: what workers and compilers do (Debug, Trace), and warnings; may be null
  // Asked often; where it says yes, a line of status goes to `log` and to campaign.log (Info). May be empty.
  std::function<bool()> statusRequested;
  // Called up to four times a second, for a terminal; may be empty. The campaign's own lines of progress, one in five
  // seconds, go to campaign.log alone.
  std::function<void(const Status&)> show;
};

// "0.1.0 build <the linker's id of this program>".
std::string versionOfProgram();

// What the results of a campaign depend on: it goes on under an equal stamp only.
Ledger::Stamp stampOf(const CampaignOptions& options);

// Set by a signal handler: stop giving tasks, write the report.
using Interrupt = std::function<bool()>;
// Where the lines go that are a command's result: its standard output. They do not depend on the level of the log.
using Log = std::function<void(const std::string& line)>;

// campaign.log gets what `print` gets, at the level Info, with reasons in full and command lines that run in its
// folder, and lines about progress. A UserError is a set-up failure:
// nothing to judge, a folder that cannot be written or holds another campaign, nothing judged.
reports::CampaignSummary runCampaign(const CampaignOptions& options, const Interrupt& interrupted, const Log& print);
// Known findings count as none. kExitSetup where nothing was judged, or a check could not run.
int exitCode(const reports::CampaignSummary& summary);

struct ReplayOptions {
  int jobs = 1;
  Limits limits;
  JudgeSettings judge;
  bool verbose = true;  // details of files that agree, too: time by stage
  bool json = false;    // lines of JSON instead, one a file: file, kind, failed, seconds, verdict
  LogPtr log;           // what workers and compilers do (Debug, Trace); may be null
};
// Judges files, and the .fusion files below folders in order of name. An exit code; lines go to `print`.
int replay(const std::vector<std::filesystem::path>& paths, const ReplayOptions& options, const Log& print);

// Judges a case that is no file's; `name` stands for it in lines.
int replayText(const std::string& name, const std::string& text, const ReplayOptions& options, const Log& print);

// Judges the cases of a sequence file (an artifact of what fails only after its history) one after the other in one
// process. The exit code is the last one's.
int replaySequence(const std::filesystem::path& path, const ReplayOptions& options, const Log& print);

}  // namespace fuser::fuzz
