#pragma once
// The arguments of a run: the case's data, or a copy of it if outputs are written in place over inputs, so that the
// oracle has the inputs' contents before the run; and buffers for the outputs that the case preallocates.

#include <deque>
#include <string>
#include <vector>

#include "fuser/runtime/case_settings.h"

namespace fuser::fuzz {

// Owns the arguments of runs, at stable addresses.
struct CallerMemory {
  std::deque<RunData> copies;
  std::deque<OutputMemory> outputs;
};

struct RunArguments {
  std::vector<HostValue> inputs;
  ExpressionEvaluator& sizes;
  std::vector<std::optional<TensorRef>> outputs;
};

// An evaluator over the case's fusion, bound to the inputs; needed once per run of the case, for all programs. A
// UserError if the inputs do not fit.
ExpressionEvaluator bindSizes(const Case& testCase, const std::vector<HostValue>& inputs);

// Prepares the arguments of a run. `inputs` are the hostValues of the run's data, to which `sizes` is bound.
RunArguments argumentsOf(const Case& testCase, const Run& run, const std::vector<HostValue>& inputs,
                         ExpressionEvaluator& sizes, CallerMemory& data, size_t maxBytes);

// Runs the cache with these arguments; call strayWrite afterwards.
RunRecord runWith(FusionExecutorCache& cache, const RunArguments& arguments);

// Checks for stray writes: memory around and between the elements of preallocated outputs, and of inputs of cases with
// in-place outputs, must be unchanged. Returns "" or the violated buffer. (The oracle judges the elements themselves.)
std::string strayWrite(const Case& testCase, const CallerMemory& data);

// Of the memory of each tensor.
std::vector<uint64_t> hashes(const RunData& data);

// Whether all inputs but those that the case overwrites hold what they held. `before` and `after`: a hash of each
// tensor of `data`.
bool keptInputs(const Case& testCase, const std::vector<uint64_t>& before, const std::vector<uint64_t>& after,
                const RunData& data);

}  // namespace fuser::fuzz
