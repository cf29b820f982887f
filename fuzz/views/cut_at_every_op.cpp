// A segment_set behind every value: each op is a segment, and no two are fused.
//   %y = exp(%x)   %z = neg(%y)   ->   %y = exp(%x)   %s = segment_set(%y)   %z = neg(%s)

#include <vector>

#include "fuzz/views/segment_cuts.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool cutAtEveryOp(Case& testCase, uint64_t) {
  const std::vector<TensorView*> places = cutPlaces(*testCase.fusion);
  if (places.empty() || hasFixedSegments(testCase)) return false;
  for (TensorView* place : places) cut(*testCase.fusion, place);
  return true;
}

}  // namespace fuser::fuzz
