// Outputs are written to memory of the caller's, of any strides. A schedule of the case's own may take vectors of an
// output, which such memory does not allow.

#include "fuzz/generate/preallocated.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool intoGivenMemory(Case& testCase, uint64_t draw) {
  if (testCase.schedule || !testCase.segmentSchedules.empty()) return false;
  Choices choices(draw, 0);
  return preallocateOutputs(testCase, choices);
}

}  // namespace fuser::fuzz
