// A segment_set behind one value, which two kernels then share through memory.

#include <vector>

#include "fuzz/views/segment_cuts.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool oneCut(Case& testCase, uint64_t draw) {
  const std::vector<TensorView*> places = cutPlaces(*testCase.fusion);
  if (places.empty() || hasFixedSegments(testCase)) return false;
  cut(*testCase.fusion, places[draw % places.size()]);
  return true;
}

}  // namespace fuser::fuzz
