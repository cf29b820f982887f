#pragma once
// What observers see of a run: RunRequest, its arguments, before FusionExecutorCache looks up the program, and
// FinishedRun, its program, host scalars and memory, at its end.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuser/evaluate/run_scalars.h"
#include "fuser/ir/fusion.h"
#include "fuser/record/run_record.h"

namespace fuser {

struct CompiledProgram;

struct RunRequest {
  const Fusion& fusion;                           // the original
  std::optional<int> device;                      // the running device of a multi-device fusion
  std::span<const HostValue> inputs;              // checked
  std::vector<std::optional<TensorRef>> outputs;  // the caller's buffers, checked; empty if there are none
  // The cache key: facts about the inputs and which outputs have buffers. Sizes select among the programs of a key.
  std::string key;
};

struct FinishedRun {
  const CompiledProgram& program;
  const ExpressionEvaluator& evaluator;  // over the program's fusion
  const RunScalars& scalars;
  std::span<const HostValue> inputs;                        // of a device: its parts
  std::span<const std::optional<TensorRef>> callersMemory;  // by output; empty: the caller gives none
  std::span<const HostValue> outputs;                       // of a device: its parts; without memory: it holds nothing
};

}  // namespace fuser
