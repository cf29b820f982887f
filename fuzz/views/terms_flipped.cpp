// Terms in the opposite order: an axis that some op reduces.

#include "fuzz/views/flip_axis.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool termsFlipped(Case& testCase, uint64_t draw) { return flipAxis(testCase, draw, true); }

}  // namespace fuser::fuzz
