// Without one or more of the host program's passes: of a case on devices, or on streams. Those two which a program of
// either kind needs stay.

#include <vector>

#include "fuser/host_passes/host_ir_pass.h"
#include "fuzz/generate/streams.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool hostPassesOff(Case& testCase, uint64_t draw) {
  Choices choices(draw, 1);
  const bool isLowered = testCase.fusion->hasStreams() || testCase.fusion->hasDevices();
  if (!isLowered && !spreadOverStreams(testCase, choices)) return false;
  std::vector<std::string_view> passes(allHostPasses().begin(), allHostPasses().end());
  std::erase(passes, LowerReshardingsPass::name());
  std::erase(passes, StreamParallelTypePass::name());
  bool changed = testCase.options.disabledPasses.insert(std::string(passes[draw % passes.size()])).second;
  for (std::string_view pass : passes) {
    if (choices.chance(0.3)) changed |= testCase.options.disabledPasses.insert(std::string(pass)).second;
  }
  return changed;
}

}  // namespace fuser::fuzz
