// Expressions run place by place along an axis, on streams: the loops of the host program and their waits.

#include "fuzz/generate/streams.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool onStreams(Case& testCase, uint64_t draw) {
  Choices choices(draw, 0);
  return spreadOverStreams(testCase, choices);
}

}  // namespace fuser::fuzz
