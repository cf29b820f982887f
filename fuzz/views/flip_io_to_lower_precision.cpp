// Values cross between segments rounded to the outputs' 16-bit dtype, or as they are. What is judged is the fusion that
// says where they are rounded (fuser/runtime/lower_boundaries.h).

#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/lower_boundaries.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool flipIoToLowerPrecision(Case& testCase, uint64_t) {
  testCase.options.ioToLowerPrecision = !testCase.options.ioToLowerPrecision;
  return !testCase.options.ioToLowerPrecision || lowersBoundaries(*testCase.fusion, settingsOf(testCase));
}

}  // namespace fuser::fuzz
