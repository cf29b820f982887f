#pragma once
// Stream axes for a case.

#include "fuser/case/case.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

// Most expressions that can be computed place by place get a stream axis, one of those with at most kMaxTurns places in
// every run. False, and nothing is changed, where none can, or the case has schedules, which name segments.
inline constexpr int64_t kMaxTurns = 24;
bool spreadOverStreams(Case& testCase, Choices& choices);

}  // namespace fuser::fuzz
