// Without any optimization pass: what the passes find must not change an answer.

#include "fuser/passes/passes.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool allPassesOff(Case& testCase, uint64_t) {
  bool changed = false;
  for (const PassInfo& pass : allPasses())
    changed |= testCase.options.disabledPasses.insert(std::string(pass.name)).second;
  return changed;
}

}  // namespace fuser::fuzz
