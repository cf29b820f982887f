// Preallocated outputs, drawn.

#include "fuzz/generate/preallocated.h"

#include <algorithm>
#include <numeric>

namespace fuser::fuzz {

PreallocatedOutput drawMemory(const TensorView* output, Choices& choices) {
  constexpr int64_t kGaps[] = {0, 0, 1, 3, 8};
  PreallocatedOutput memory{output->name(), {}, {}, 0};
  if (output->rank() > 1 && choices.chance(0.4)) {
    memory.order.resize(output->rank());
    std::iota(memory.order.begin(), memory.order.end(), 0);
    choices.shuffle(memory.order);
    // Row-major is written by leaving it out.
    if (std::is_sorted(memory.order.begin(), memory.order.end())) memory.order.clear();
  }
  if (output->rank() > 0 && choices.chance(0.5)) {
    for (size_t axis = 0; axis < output->rank(); ++axis) memory.gaps.push_back(choices.pick(kGaps));
  }
  if (choices.chance(0.5)) memory.offset = choices.integer(1, 9);
  return memory;
}

bool preallocateOutputs(Case& testCase, Choices& choices) {
  if (testCase.fusion->hasDevices()) return false;
  const auto isTaken = [&](const Val* output) {
    const bool overwrites = std::any_of(testCase.aliases.begin(), testCase.aliases.end(),
                                        [&](const auto& alias) { return alias.first == output->name(); });
    return overwrites || std::any_of(testCase.preallocated.begin(), testCase.preallocated.end(),
                                     [&](const auto& memory) { return memory.output == output->name(); });
  };
  const size_t before = testCase.preallocated.size();
  for (const Val* output : testCase.fusion->outputs()) {
    if (isTaken(output) || !whyNoPreallocation(*testCase.fusion, output).empty() || !choices.chance(0.8)) continue;
    testCase.preallocated.push_back(drawMemory(output->as<TensorView>(), choices));
  }
  return testCase.preallocated.size() != before;
}

}  // namespace fuser::fuzz
