// Whole parts are tried as one segment before single expressions, or not: the other way than the case says.

#include "fuzz/views/segment_cuts.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool flipTopDown(Case& testCase, uint64_t) {
  if (hasFixedSegments(testCase)) return false;
  if (testCase.options.disabled.erase(DisableOption::TopDown) == 0)
    testCase.options.disabled.insert(DisableOption::TopDown);
  return true;
}

}  // namespace fuser::fuzz
