// Kernels for another device: other limits, so other blocks.

#include "fuzz/choices/choices.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool onAnotherDevice(Case& testCase, uint64_t draw) {
  // The limits of a GPU that runs the kernels are what they are.
  if (testCase.options.engine == EngineKind::Cuda) return false;
  const CompileOptions before = testCase.options;
  Choices choices(draw, 0);
  // More often tiny than another: its limits are those that a small case reaches.
  const size_t count = namedDevices().size();
  testCase.options.device = choices.chance(0.5) ? count - 1 : choices.index(count);
  if (choices.chance(0.5)) testCase.options.deviceFigures["threads_per_block"] = choices.integer(32, 128);
  return deviceOf(testCase.options, defaultDevice()) != deviceOf(before, defaultDevice()) && !testCase.schedule &&
         testCase.segmentSchedules.empty();
}

}  // namespace fuser::fuzz
