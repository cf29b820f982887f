#pragma once
// What a run is given: the case's data, or, where outputs overwrite inputs, a copy of its own, so that the oracle judges
// by what was there before.

#include <deque>
#include <vector>

#include "fuser/runtime/case_settings.h"

namespace fuser::fuzz {

// inputs: hostValues of the run's data. Copies are kept in `copies`, whose elements stay where they are.
inline std::vector<HostValue> givenTo(const Case& testCase, const Run& run, const std::vector<HostValue>& inputs,
                                      std::deque<RunData>& copies, size_t maxBytes) {
  if (testCase.aliases.empty()) return inputs;
  copies.push_back(materialize(testCase, run, maxBytes));
  return hostValues(copies.back());
}

}  // namespace fuser::fuzz
