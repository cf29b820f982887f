#pragma once
// RunRequest: a run as FusionExecutorCache was asked for it, before it looks for a program.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/record/run_record.h"

namespace fuser {

struct RunRequest {
  const Fusion& fusion;                           // the original
  std::optional<int> device;                      // of a fusion on several: the one that runs
  std::span<const HostValue> inputs;              // checked
  std::vector<std::optional<TensorRef>> outputs;  // the caller's memory for them, checked; empty where it gives none
  // What of the inputs, and of which outputs have memory, decides which programs may serve; sizes decide among those.
  std::string key;
};

}  // namespace fuser
