#pragma once
// triage(): the life of findings that a folder keeps, over many nights.
//
//   DIR/*.fusion      just in: what a campaign wrote, or a person put there
//   DIR/crashing/     fails
//   DIR/incubating/   failed once, and does not fail now: fixed, hidden, or flaky
//   DIR/regression/   did not fail kCleanReplays times in a row: a test that the bug stays fixed
//
// Each call replays every file in processes of their own and moves it: what fails goes to crashing/, wherever it was;
// what does not goes from crashing/ (or DIR) to incubating/, and from there, after kCleanReplays clean calls, to
// regression/. A file of DIR that does not fail and bears no trace of a campaign (its name, "#: finding = …") has never
// failed, as far as anybody knows, and stays where it is. A .sequence file beside a case (it fails only after others)
// is what is replayed, and moves with it. Where another finding has the name already, one gets a number: nothing is
// written over. The calls are counted in the file ("#: clean_replays = 2"). A "flaky-" file is run ten times; one
// failure is enough.

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/campaign.h"

namespace fuser::fuzz {

inline constexpr int kCleanReplays = 3;

enum class Stage : uint8_t { Fresh, Crashing, Incubating, Regression };
std::string stageFolder(Stage stage);  // "" | "crashing" | …

struct Triaged {
  std::string name;     // of the file
  std::string movedTo;  // its name there, mostly the same
  Stage from = Stage::Fresh, to = Stage::Fresh;
  bool fails = false;
  int cleanReplays = 0;
  std::string verdict;  // one line
};

// In order of stage and name. dryRun: nothing moves, and `to` says what would. A UserError where the folder is not
// there, cannot be written, or holds no case.
std::vector<Triaged> triage(const std::filesystem::path& folder, const ReplayOptions& options, bool dryRun = false);

// Where a file goes that was in `from` and fails or not; cleanReplays: with this one, 0 if it fails.
Stage nextStage(Stage from, bool fails, int cleanReplays);

}  // namespace fuser::fuzz
