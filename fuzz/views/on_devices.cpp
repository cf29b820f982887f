// Tensors are whole or sharded on several devices: collectives, and the parts that each device computes.

#include "fuzz/generate/devices.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool onDevices(Case& testCase, uint64_t draw) {
  Choices choices(draw, 0);
  return spreadOverDevices(testCase, choices);
}

}  // namespace fuser::fuzz
