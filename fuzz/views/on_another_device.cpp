// Kernels for another device: other limits, so other blocks.

#include "fuzz/generate/invented_device.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool onAnotherDevice(Case& testCase, uint64_t draw) {
  // The limits of a GPU that runs the kernels are what they are.
  if (testCase.options.engine == EngineKind::Cuda) return false;
  const CompileOptions before = testCase.options;
  Choices choices(draw, 0);
  inventDevice(testCase.options, choices);
  return deviceOf(testCase.options, defaultDevice()) != deviceOf(before, defaultDevice()) && !testCase.schedule &&
         testCase.segmentSchedules.empty();
}

}  // namespace fuser::fuzz
