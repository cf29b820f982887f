#pragma once
// What a run is given: the case's data, or, where outputs overwrite inputs, a copy of its own, so that the oracle
// judges by what was there before; and memory for the outputs that the case preallocates.

#include <deque>
#include <string>
#include <vector>

#include "fuser/runtime/case_settings.h"

namespace fuser::fuzz {

// What runs were given; the elements stay where they are.
struct GivenData {
  std::deque<RunData> copies;
  std::deque<OutputMemory> outputs;
};

struct GivenRun {
  std::vector<HostValue> inputs;
  ExpressionEvaluator& sizes;
  std::vector<std::optional<TensorRef>> outputs;
};

// Over the case's fusion, bound to the inputs: once a run of the case, however often programs run. A UserError where
// they do not fit.
ExpressionEvaluator bindSizes(const Case& testCase, const std::vector<HostValue>& inputs);

// inputs: hostValues of the run's data. sizes: bound to them.
GivenRun givenTo(const Case& testCase, const Run& run, const std::vector<HostValue>& inputs,
                 ExpressionEvaluator& sizes, GivenData& data, size_t maxBytes);

// On whichever engine the cache compiles for; ask problemBesideGiven then.
RunRecord runGiven(FusionExecutorCache& cache, const GivenRun& given);

// "", or which memory runs wrote beside, of an output that was given some or of an input where outputs overwrite
// inputs: around it and between its elements nothing may have changed. (What it holds is judged as an output.)
std::string problemBesideGiven(const Case& testCase, const GivenData& data);

}  // namespace fuser::fuzz
