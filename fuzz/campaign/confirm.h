#pragma once
// confirm(): a finding run again alone, in fresh processes. It says whether the case fails by itself, only after what
// its process had done before (then the shortest such sequence is the case), or now and then; gives the case's text
// where its process died before it could, symbols to its stack, and its bucket.
//
// It runs in a process of its own (a fresh worker), which forks one a try, so that nothing else of a campaign waits.

#include <string>
#include <vector>

#include "fuzz/campaign/task.h"

namespace fuser::fuzz {

struct Suspect {
  std::string task;  // "case N", "view N NAME", "file PATH", "batch N COUNT"
  CaseVerdict verdict;
  std::vector<std::string> history;  // tasks that its process had done before
};

struct Confirmed {
  std::string task;    // the one that fails: of a batch that died, "batch N 1"; of a case, maybe one of its views
  std::string label;   // "fails fresh" | "fails only after its history" | "flaky: 3 of 10"
  std::string detail;  // with symbols
  std::string text;    // of the case; empty where it cannot be had
  std::string bucket;
  std::vector<std::string> sequence;  // texts, the failing case last; empty unless it fails only after its history
  Features features;                  // of the case
  std::string problem;                // what went wrong on the way; empty when nothing did
};

inline constexpr int kFlakyRuns = 10;

// limits: of one case.
Confirmed confirm(const Suspect& suspect, const TaskSettings& settings, const Limits& limits);

// Over the pipe.
std::string toJson(const Suspect& suspect);
Suspect suspectFromJson(const std::string& text);
std::string toJson(const Confirmed& confirmed);
Confirmed confirmedFromJson(const std::string& text);

}  // namespace fuser::fuzz
