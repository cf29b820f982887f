// libFuzzer over the generator's choices: every case is judged. fuzz/targets/README.md says how to run it.

#include "fuzz/targets/judged/end_to_end_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuser::fuzz::endToEndTarget({data, size});
  return 0;
}
