// One `option disable` the other way round: what it switches must not change an answer.

#include <iterator>

#include "fuzz/views/views.h"

namespace fuser::fuzz {

bool flipDisableOption(Case& testCase, uint64_t draw) {
  constexpr DisableOption kOptions[] = {DisableOption::ResizeScheduler};
  const DisableOption option = kOptions[draw % std::size(kOptions)];
  if (testCase.options.disabled.erase(option) == 0) testCase.options.disabled.insert(option);
  return true;
}

}  // namespace fuser::fuzz
