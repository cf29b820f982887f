#include "tests/fuzz/edit/placed/placed.h"

#include "fuzz/generate/devices.h"
#include "fuzz/generate/preallocated.h"
#include "fuzz/generate/streams.h"

namespace fuser::fuzz {

bool give(Case& testCase, What what, Choices& choices) {
  switch (what) {
    case What::Plain: return true;
    case What::Streams: return spreadOverStreams(testCase, choices);
    case What::Memory: return preallocateOutputs(testCase, choices);
    case What::StreamsAndMemory: return spreadOverStreams(testCase, choices) && preallocateOutputs(testCase, choices);
    case What::Devices: return spreadOverDevices(testCase, choices);
  }
  return false;
}

}  // namespace fuser::fuzz
