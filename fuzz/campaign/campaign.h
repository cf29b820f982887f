#pragma once
// A campaign: many cases through forked workers, findings into files, figures into a report. And a replay: given files,
// each with its verdict.

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fuzz/campaign/task.h"
#include "fuzz/isolate/worker_pool.h"
#include "reports/campaign_summary.h"

namespace fuser::fuzz {

// Exit codes that users of libFuzzer and OSS-Fuzz know.
inline constexpr int kExitClean = 0, kExitSetup = 1, kExitTimeout = 70, kExitMemory = 71, kExitInterrupted = 72,
                     kExitFinding = 77;

struct CampaignOptions {
  uint64_t seed = 1;
  uint64_t runs = 0;        // cases; 0: until the time is up
  double maxTotalTime = 0;  // seconds; 0: until the cases are done
  int jobs = 1;
  uint64_t maxFindings = 100;  // then it stops
  Limits limits;
  bool compilers = true;      // a sample of the cases through clang and NVRTC, at most a fifth of the time
  TaskSettings task;          // its seed is set from `seed`
  std::filesystem::path out;  // report.json, campaign.log, artifacts; made where missing
  std::vector<std::filesystem::path> corpora;  // judged first
  std::string generatorFlags;         // that give the generator options on the command line; "" or " --only add"
  std::string program = "fuserfuzz";  // in the lines that tell how to replay
};

// Set by a signal handler: stop giving tasks, write the report.
using Interrupt = std::function<bool()>;
using Log = std::function<void(const std::string& line)>;

// A UserError is a set-up failure: nothing to judge, a folder that cannot be written, nothing judged.
reports::CampaignSummary runCampaign(const CampaignOptions& options, const Interrupt& interrupted, const Log& log);
int exitCode(const reports::CampaignSummary& summary);

struct ReplayOptions {
  int jobs = 1;
  Limits limits;
  JudgeSettings judge;
  bool verbose = true;  // details of files that agree, too: time by stage
};
// Judges files, and the .fusion files below folders in order of name. An exit code; lines go to `print`.
int replay(const std::vector<std::filesystem::path>& paths, const ReplayOptions& options, const Log& print);

// The .fusion files that paths name: files as they are, folders searched, in order of name. A UserError for a path that
// is not there.
std::vector<std::filesystem::path> fusionFiles(const std::vector<std::filesystem::path>& paths);

// A reason with every number written as #, so that equal reasons count together.
std::string withoutNumbers(const std::string& reason);

}  // namespace fuser::fuzz
