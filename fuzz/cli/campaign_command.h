#pragma once
// What `run` and `enumerate` share: the options of a campaign, and how one is run on a terminal.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "fuser/log/log.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"

namespace fuser::fuzz {

struct CampaignArguments {
  std::string name;  // of the command
  GeneratorArguments generator;
  WorkerArguments workers;
  TargetArguments target;
  bool mixedData = false;
  CampaignOptions campaign;
  std::vector<std::string> corpora;
  std::string out, growCorpus, shard, feedback = "off", workingCorpus;
  std::string knownIssues;
  int64_t maxArtifactMb = 256;
  bool noProbes = false, noCompilers = false, noMinimize = false, sampleInvariants = false;
  bool quiet = false, verbose = false, json = false;

  // Adds all but what says which cases there are, and the target's.
  void addTo(CLI::App* command);
};

// Runs the campaign, with progress where standard error is a terminal; returns the exit code. resolveCases: called once
// the arguments of a resumed campaign are known.
int runCampaignCommand(CLI::App& command, CampaignArguments& arguments, const LogPtr& log,
                       const std::function<void()>& resolveCases);

}  // namespace fuser::fuzz
