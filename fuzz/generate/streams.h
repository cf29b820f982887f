#pragma once
// Stream axes for a case.

#include "fuser/case/case.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

// A turn costs a launch of each expression.
inline constexpr int64_t kMaxTurns = 16;

// Most expressions that can be computed place by place get a stream axis, one of those with at most maxTurns places in
// every run. False, and nothing is changed, where none can, or the case has schedules, which name segments, or devices.
bool spreadOverStreams(Case& testCase, Choices& choices, int64_t maxTurns = kMaxTurns);

}  // namespace fuser::fuzz
