#pragma once
// Probes: small programs whose results tell whether a target takes a liberty (profiles.def).

#include <string>

#include "fuzz/compilers/profiles.h"
#include "fuzz/compilers/targets.h"

namespace fuser::fuzz {

enum class Shown : uint8_t {
  Taken,
  NotTaken,
  Neither,     // a result that the liberty does not give, either
  NotAnswered  // the format or the target does not take the program, or fails; the detail says how
};

struct ProbeResult {
  Shown shown = Shown::NotAnswered;
  std::string detail;
};

// Runs the probe on the worker of one of the target's views.
ProbeResult probeTarget(const Target& target, WorkerProcess& worker, const Probe& probe);
// The same of outputs that are given.
ProbeResult shownBy(const Probe& probe, const std::vector<AnswerTensor>& outputs);

}  // namespace fuser::fuzz
