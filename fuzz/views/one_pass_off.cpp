// Without one of the optimization passes, any of them: none may be needed for a right answer.

#include "fuser/passes/passes.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool onePassOff(Case& testCase, uint64_t draw) {
  const auto passes = allPasses();
  return testCase.options.disabledPasses.insert(std::string(passes[draw % passes.size()].name)).second;
}

}  // namespace fuser::fuzz
