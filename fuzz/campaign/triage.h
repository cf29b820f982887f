#pragma once
// triage(): sorts a folder of findings over many nights.
//
//   DIR/*.fusion      new: written by a campaign or a person
//   DIR/crashing/     fails
//   DIR/incubating/   failed once and does not fail now: fixed, hidden or flaky
//   DIR/regression/   did not fail kCleanReplays times in a row: a regression test
//
// Each call replays every file in a new process and moves it: a case that fails goes to crashing/; a case that does not
// goes from DIR or crashing/ to incubating/, and after kCleanReplays clean calls to regression/. A file in DIR that
// does not fail and has no trace of a campaign (its name, "#: finding = …") never failed as far as is known, and stays.
// A .sequence file beside a case (which only fails after others) is replayed instead, and moves with it. If a file of
// that name exists at the destination, the moved one gets a number; no file is overwritten. The number of clean calls
// is stored in the file ("#: clean_replays = 2"). A "flaky-" file runs ten times; one failure is enough.

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/campaign.h"

namespace fuser::fuzz {

inline constexpr int kCleanReplays = 3;

enum class Stage : uint8_t { Fresh, Crashing, Incubating, Regression };
std::string stageFolder(Stage stage);  // "" | "crashing" | …

struct Triaged {
  std::string name;     // of the file in its old place
  std::string movedTo;  // its name in the new place, usually the same
  Stage from = Stage::Fresh, to = Stage::Fresh;
  bool fails = false;
  int cleanReplays = 0;
  std::string verdict;  // one line
};

// Results are ordered by stage and name. dryRun: moves nothing; `to` says where files would go. A UserError if the
// folder does not exist or is not writable.
std::vector<Triaged> triage(const std::filesystem::path& folder, const ReplayOptions& options, bool dryRun = false);

// The next stage of a file. cleanReplays: including this one; 0 if it fails.
Stage nextStage(Stage from, bool fails, int cleanReplays);

}  // namespace fuser::fuzz
