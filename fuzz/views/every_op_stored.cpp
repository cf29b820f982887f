// With probes, which store every tensor: every op is judged alone.

#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool everyOpStored(Case& testCase, uint64_t) {
  if (testCase.options.probes || testCase.options.contraction) return false;
  testCase.options.probes = true;
  return true;
}

}  // namespace fuser::fuzz
