// Values cross between segments in the narrowest type that gives the same bits, or not.

#include "fuzz/views/segment_cuts.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool flipBoundaryPrecision(Case& testCase, uint64_t) {
  if (hasFixedSegments(testCase)) return false;
  testCase.options.boundaryPrecision = !testCase.options.boundaryPrecision;
  return true;
}

}  // namespace fuser::fuzz
