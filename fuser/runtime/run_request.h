#pragma once
// RunRequest: the arguments of a run, as observers see them before FusionExecutorCache looks up the program.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/record/run_record.h"

namespace fuser {

struct RunRequest {
  const Fusion& fusion;                           // the original
  std::optional<int> device;                      // the running device of a multi-device fusion
  std::span<const HostValue> inputs;              // checked
  std::vector<std::optional<TensorRef>> outputs;  // the caller's buffers, checked; empty if there are none
  // The cache key: facts about the inputs and which outputs have buffers. Sizes select among the programs of a key.
  std::string key;
};

}  // namespace fuser
