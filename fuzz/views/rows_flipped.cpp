// Rows in the opposite order: an axis that stays one in every tensor that has it. Each element is computed as before.

#include "fuzz/views/flip_axis.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool rowsFlipped(Case& testCase, uint64_t draw) { return flipAxis(testCase, draw, false); }

}  // namespace fuser::fuzz
