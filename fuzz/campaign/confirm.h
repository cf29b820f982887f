#pragma once
// confirm(): a finding run again alone, in fresh processes. It says whether the case fails by itself, only after what
// its process had done before (then the shortest such sequence is the case), or now and then; gives the case's text
// where its process died before it could, symbols to its stack, and its bucket.
//
// It runs in a process of its own (a fresh worker), which forks one a try, so that nothing else of a campaign waits.

#include <string>
#include <vector>

#include "fuzz/campaign/perform_task.h"

namespace fuser::fuzz {

struct Confirmed {
  SingleTask task;     // the one that fails: of a batch that died, its case alone; of a case, maybe one of its views
  std::string label;   // "fails fresh" | "fails only after its history" | "flaky: 3 of 10"
  std::string detail;  // with symbols
  std::string text;    // of the case; empty where it cannot be had
  std::string bucket;
  std::vector<std::string> sequence;  // texts, the failing case last; empty unless it fails only after its history
  Features features;                  // of the case
  std::string problem;                // what went wrong on the way; empty when nothing did
  bool operator==(const Confirmed&) const = default;
};
REPORTS_FIELDS(Confirmed, task, label, detail, text, bucket, sequence, features, problem)

inline constexpr int kFlakyRuns = 10;

// limits: of one case.
Confirmed confirm(const Suspect& suspect, const TaskSettings& settings, const Limits& limits);

// Over the pipe.
std::string encode(const Confirmed& confirmed);
Confirmed decodeConfirmed(const std::string& bytes);

}  // namespace fuser::fuzz
