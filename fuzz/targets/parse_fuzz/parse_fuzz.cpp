// libFuzzer over the parser. fuzz/targets/README.md says how to run it.

#include "fuzz/targets/targets.h"
#include "fuzz/targets/text_mutators.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t maxSize);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuser::fuzz::parseTarget({data, size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize, unsigned seed) {
  return fuser::fuzz::mutateText(data, size, maxSize, seed, LLVMFuzzerMutate);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* first, size_t firstSize, const uint8_t* second,
                                            size_t secondSize, uint8_t* out, size_t maxSize, unsigned seed) {
  return fuser::fuzz::crossOverTexts({first, firstSize}, {second, secondSize}, out, maxSize, seed);
}
