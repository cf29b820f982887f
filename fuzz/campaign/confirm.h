#pragma once
// confirm(): reproduces a finding in fresh processes. It determines whether the case fails alone, only after the
// history of its process (then it finds the shortest such sequence), or is flaky. It also supplies the case's text if
// its process died before it could, symbolizes the stack, and computes the bucket.
//
// It runs in its own worker process, which forks once per try, so that the campaign does not wait.

#include <string>
#include <vector>

#include "fuzz/campaign/perform_task.h"

namespace fuser::fuzz {

struct Confirmed {
  SingleTask task;     // the failing task: for a batch that died, its case; for a case, possibly one of its views
  std::string label;   // "fails fresh" | "fails only after its history" | "flaky: 3 of 10"
  std::string detail;  // with symbolized stacks
  std::string text;    // the case; empty if unavailable
  std::string bucket;
  std::vector<std::string> sequence;  // texts, the failing case last; empty unless it fails only after its history
  Features features;                  // of the case
  std::string structure;              // structureOf() it
  std::string problem;                // an error during confirmation; "" if none
  bool operator==(const Confirmed&) const = default;
};
REPORTS_FIELDS(Confirmed, task, label, detail, text, bucket, sequence, features, structure, problem)

inline constexpr int kFlakyRuns = 10;

// `limits` apply to one case.
Confirmed confirm(const Suspect& suspect, const TaskSettings& settings, const Limits& limits);

// Over the pipe.
std::string encode(const Confirmed& confirmed);
Confirmed decodeConfirmed(const std::string& bytes);

}  // namespace fuser::fuzz
