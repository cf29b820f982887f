#pragma once
// What a run is given: the case's data, or, where outputs overwrite inputs, a copy of its own, so that the oracle judges
// by what was there before; and memory for the outputs that the case preallocates.

#include <deque>
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
  std::vector<std::optional<TensorRef>> outputs;
};

// inputs: hostValues of the run's data.
inline GivenRun givenTo(const Case& testCase, const Run& run, const std::vector<HostValue>& inputs, GivenData& data,
                        size_t maxBytes) {
  GivenRun given{inputs, {}};
  if (!testCase.aliases.empty()) {
    data.copies.push_back(materialize(testCase, run, maxBytes));
    given.inputs = hostValues(data.copies.back());
  }
  if (!testCase.preallocated.empty()) {
    data.outputs.push_back(outputMemory(testCase, given.inputs, maxBytes));
    given.outputs = data.outputs.back().refs;
  }
  return given;
}

inline RunRecord runGiven(FusionExecutorCache& cache, const GivenRun& given) { return cache.run(given.inputs, given.outputs); }

}  // namespace fuser::fuzz
