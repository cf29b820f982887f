// The deep copy of a case.

#include "fuser/case/case.h"
#include "fuser/ir/clone.h"

namespace fuser {

Case cloneCase(const Case& testCase) {
  return {testCase.metadata,     cloneFusion(*testCase.fusion).fusion, testCase.aliases,
          testCase.preallocated, testCase.options,                     testCase.places,
          testCase.schedule,     testCase.segmentSchedules,            testCase.runs};
}

}  // namespace fuser
